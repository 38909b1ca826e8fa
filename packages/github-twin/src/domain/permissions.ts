import type { Access } from '../apps/installations.js';
import { forbidden, notFound } from '../basics/api-error.js';
import { Permission, type Repo, type Token, type User } from '../store/rows.js';
import type { World } from '../world/world.js';

const RANK = Permission.options;

export function hasPermission(repo: Repo, user: User | null, need: Permission): boolean {
  const given = user?.login === repo.owner ? 'admin' : user && repo.permissions[user.login];
  const have = given ?? (repo.private ? undefined : 'read');
  return have !== undefined && RANK.indexOf(have) >= RANK.indexOf(need);
}

/** True if the token's scopes allow the access. */
export function tokenReaches(repo: Repo, token: Token | null, need: Permission): boolean {
  if (!token || token.scopes.includes('repo')) return true;
  if (repo.private) return false;
  return need === 'read' || token.scopes.includes('public_repo');
}

/** `access` is set if the token belongs to an App's installation. */
export type Visitor = { user: User | null; token: Token | null; access: Access | null };

/**
 * True if the visitor may do what people with this permission may do. An App's own permissions differ from route to
 * route and are checked there, so only its repositories count here.
 */
export function mayAct(repo: Repo, { user, token, access }: Visitor, need: Permission): boolean {
  if (access) return access.repoIds.includes(repo.id) || (need === 'read' && !repo.private);
  return hasPermission(repo, user, need) && tokenReaches(repo, token, need);
}

export const fullName = (repo: Repo) => `${repo.owner}/${repo.name}`;

/** Finds a repository by its current name, else by a former name. */
export function findByName({ store }: World, name: string): Repo | undefined {
  const isName = (text: string) => text.toLowerCase() === name.toLowerCase();
  return (
    store.repos.find((row) => isName(fullName(row))) ??
    store.repos.find((row) => row.formerNames.some(isName))
  );
}

/** Throws 404 for a repository that the user cannot see, and 403 for one that the user can only read. */
export function findRepo(visitor: Visitor & { world: World }, name: string, need: Permission = 'read'): Repo {
  const { world, user, access } = visitor;
  const repo = findByName(world, name);
  if (!repo || !mayAct(repo, visitor, 'read')) throw notFound();
  if (mayAct(repo, visitor, need)) return repo;
  if (access) throw forbidden('Resource not accessible by integration');
  if (!hasPermission(repo, user, need)) throw forbidden(`Must have ${need} access to Repository.`);
  throw forbidden('Resource not accessible by personal access token');
}

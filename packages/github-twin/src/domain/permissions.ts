import { forbidden, notFound } from '../basics/api-error.js';
import { Permission, type Repo, type Token, type User } from '../store/rows.js';
import type { World } from '../world/world.js';

const RANK = Permission.options;

export function permissionOf(repo: Repo, user: User | null): Permission | null {
  if (!user) return repo.private ? null : 'read';
  if (user.login === repo.owner) return 'admin';
  return repo.permissions[user.login] ?? (repo.private ? null : 'read');
}

export function hasPermission(repo: Repo, user: User | null, need: Permission): boolean {
  const have = permissionOf(repo, user);
  return have !== null && RANK.indexOf(have) >= RANK.indexOf(need);
}

/** What a token may do is the smaller of what its user and its scopes may do. */
export function tokenReaches(repo: Repo, token: Token | null, need: Permission): boolean {
  if (!token || token.scopes.includes('repo')) return true;
  if (repo.private) return false;
  return need === 'read' || token.scopes.includes('public_repo');
}

export type Visitor = { user: User | null; token: Token | null };

/**
 * An invisible repository does not exist; a visible one that may not be written says so. Under a former name the
 * repository is found too, unless another one has that name now.
 */
export function findRepo(
  world: World,
  name: { owner: string; repo: string },
  visitor: Visitor,
  need: Permission,
): Repo {
  const full = `${name.owner}/${name.repo}`.toLowerCase();
  const isFull = (text: string) => text.toLowerCase() === full;
  const repo =
    world.store.repos.find((row) => isFull(fullName(row))) ??
    world.store.repos.find((row) => row.formerNames.some(isFull));
  if (!repo || !hasPermission(repo, visitor.user, 'read') || !tokenReaches(repo, visitor.token, 'read'))
    throw notFound();
  if (need === 'read') return repo;
  if (!hasPermission(repo, visitor.user, need)) throw forbidden(`Must have ${need} access to Repository.`);
  if (!tokenReaches(repo, visitor.token, need))
    throw forbidden('Resource not accessible by personal access token');
  return repo;
}

export const fullName = (repo: Repo) => `${repo.owner}/${repo.name}`;

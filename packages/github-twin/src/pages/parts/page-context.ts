import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { notFound } from '../../basics/api-error.js';
import { findByName, findRepo, hasPermission } from '../../domain/permissions.js';
import type { Issue, Permission, Repo, User } from '../../store/rows.js';
import type { InRepo, World } from '../../world/world.js';

/** One page view. `visitor` is the chosen user, if any. */
export type PageContext = { world: World; visitor: User | undefined; path: string; query: URLSearchParams };
export type RepoPageContext = PageContext & InRepo;

/** Lists the users that a visitor can choose: people, but not bots or organizations. */
export const listPeople = ({ store }: World): User[] => store.users.filter((user) => user.type === 'User');

/** Includes the port, because browsers share cookies between ports and each twin needs its own cookie. */
const cookieName = (world: World) => `twin_visitor_${new URL(world.url).port}`;

/** Reads the chosen user's id from the cookie. The cookie is unsigned, because no password protects the choice. */
export function readVisitor(world: World, { cookie = '' }: IncomingHttpHeaders): User | undefined {
  const id = new RegExp(`(?:^|; ?)${cookieName(world)}=(\\d+)(?:;|$)`).exec(cookie)?.[1];
  return listPeople(world).find((person) => String(person.id) === id);
}

export const setCookie = (world: World, { id }: User) =>
  `${cookieName(world)}=${id}; Path=/; HttpOnly; SameSite=Strict`;

/** Opens a repository. A visitor who has not chosen a user sees every repository but cannot change anything. */
export function openRepo({ world, visitor }: PageContext, name: string): Repo {
  const repo = visitor
    ? findRepo({ world, user: visitor, token: null, access: null }, name)
    : findByName(world, name);
  if (!repo) throw notFound();
  return repo;
}

export function may({ repo, visitor }: RepoPageContext, need: Permission): boolean {
  return visitor !== undefined && !repo.archived && hasPermission(repo, visitor, need);
}

export const repoPath = (repo: Repo) => `/${repo.owner}/${repo.name}`;

export const issuePath = (repo: Repo, issue: Issue) =>
  `${repoPath(repo)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`;

/** Creates an element id that cannot collide with user text. */
export function domId(prefix: string, text: string): string {
  return `${prefix}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

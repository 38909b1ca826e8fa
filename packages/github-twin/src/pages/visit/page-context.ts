import { createHash } from 'node:crypto';
import { ApiError } from '../../basics/api-error.js';
import { findRepo, fullName, hasPermission } from '../../domain/permissions.js';
import type { Permission, Repo } from '../../store/rows.js';
import type { World } from '../../world/world.js';
import type { Visitor } from './visitor.js';

/** One look at a page: who looks, and where. */
export type PageContext = { world: World; visitor: Visitor; path: string; query: URLSearchParams };
export type RepoPageContext = PageContext & { repo: Repo };

/** A visitor who is nobody yet sees every repository, and can change nothing. */
export function openRepo(context: PageContext, name: { owner: string; repo: string }): Repo {
  const { user } = context.visitor;
  if (user) return findRepo(context.world, name, { user, token: null }, 'read');
  const full = `${name.owner}/${name.repo}`.toLowerCase();
  const isFull = (text: string) => text.toLowerCase() === full;
  const { repos } = context.world.store;
  const repo =
    repos.find((row) => isFull(fullName(row))) ?? repos.find((row) => row.formerNames.some(isFull));
  if (!repo) throw new ApiError(404, 'Not Found');
  return repo;
}

export function may({ repo, visitor }: RepoPageContext, need: Permission): boolean {
  return visitor.user !== undefined && !repo.archived && hasPermission(repo, visitor.user, need);
}

export const repoPath = (repo: Repo) => `/${repo.owner}/${repo.name}`;

/** A name for an element that no text of others can choose. */
export function domId(prefix: string, text: string): string {
  return `${prefix}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

import { createHash } from 'node:crypto';
import { ApiError } from '../api-error.js';
import { findRepo, fullName, hasPermission } from '../domain/permissions.js';
import type { Permission, Repo } from '../store/rows.js';
import type { World } from '../world.js';
import type { Visitor } from './visitor.js';

/** One look at a page: who looks, and where. */
export type Sight = { world: World; visitor: Visitor; path: string; query: URLSearchParams };
export type RepoSight = Sight & { repo: Repo };

/** A visitor who is nobody yet sees every repository, and can change nothing. */
export function openRepo(sight: Sight, name: { owner: string; repo: string }): Repo {
  const { user } = sight.visitor;
  if (user) return findRepo(sight.world, name, { user, token: null }, 'read');
  const full = `${name.owner}/${name.repo}`.toLowerCase();
  const isFull = (text: string) => text.toLowerCase() === full;
  const { repos } = sight.world.store;
  const repo =
    repos.find((row) => isFull(fullName(row))) ?? repos.find((row) => row.formerNames.some(isFull));
  if (!repo) throw new ApiError(404, 'Not Found');
  return repo;
}

export function may({ repo, visitor }: RepoSight, need: Permission): boolean {
  return visitor.user !== undefined && !repo.archived && hasPermission(repo, visitor.user, need);
}

export const repoPath = (repo: Repo) => `/${repo.owner}/${repo.name}`;

/** A name for an element that no text of others can choose. */
export function domId(prefix: string, text: string): string {
  return `${prefix}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

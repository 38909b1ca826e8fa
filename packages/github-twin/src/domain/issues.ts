import { ApiError, notFound } from '../basics/api-error.js';
import type { Issue, PullIssue, User } from '../store/rows.js';
import { born, type InRepo, stampOf, type World } from '../world/world.js';
import { listBlocked, touchDependents } from './dependencies.js';

export function isPull(issue: Issue): issue is PullIssue {
  return issue.pull !== null;
}

/** Creates a predicate that is true for rows in the thread of an issue or pull request. */
export const inThread =
  (issue: Pick<Issue, 'repoId' | 'number'>) =>
  (row: { repoId: number; number: number }): boolean =>
    row.repoId === issue.repoId && row.number === issue.number;

export function findIssue({ world, repo }: InRepo, number: number): Issue {
  const issue = world.store.issues.find(inThread({ repoId: repo.id, number }));
  if (!issue) throw notFound();
  if (issue.deleted) throw new ApiError(410, 'This issue was deleted');
  return issue;
}

export function findPull(where: InRepo, number: number): PullIssue {
  const issue = findIssue(where, number);
  if (!isPull(issue)) throw notFound();
  return issue;
}

export function listIssues({ world, repo }: InRepo): Issue[] {
  return world.store.issues.filter((row) => row.repoId === repo.id && !row.deleted);
}

export const listPulls = (where: InRepo): PullIssue[] => listIssues(where).filter(isPull);

/**
 * Creates a predicate that is false for rows of deleted issues. Deleting an issue only hides its comments.
 */
export function isVisible({ world, repo }: InRepo) {
  const hidden = new Set(
    world.store.issues.filter((row) => row.repoId === repo.id && row.deleted).map((row) => row.number),
  );
  return (row: { repoId: number; number: number }): boolean =>
    row.repoId === repo.id && !hidden.has(row.number);
}

/** Sets `updated_at` to the current time. Every event in a thread does this. */
export function touch<Row extends Issue>(world: World, issue: Row): Row {
  return world.store.issues.put({ ...issue, updatedAt: stampOf(world) });
}

type Closing = { by: User | null; reason?: Issue['stateReason'] };

export function closeIssue(world: World, issue: Issue, { by, reason = 'completed' }: Closing): Issue {
  if (issue.state === 'closed') return issue;
  const stateReason = issue.pull ? null : reason;
  const closed = touch(world, {
    ...issue,
    state: 'closed',
    stateReason,
    closedAt: stampOf(world),
    closedById: by?.id ?? null,
  });
  touchDependents(world, listBlocked(world, closed));
  return closed;
}

export type NewIssue = Pick<Issue, 'title' | 'body' | 'labelIds' | 'pull'>;

export function openIssue({ world, repo, user }: InRepo & { user: User }, fields: NewIssue): Issue {
  const { store } = world;
  const { nextNumber: number } = store.repos.get(repo.id) ?? repo;
  store.repos.put({ ...(store.repos.get(repo.id) ?? repo), nextNumber: number + 1 });
  return store.issues.put({
    ...born(world),
    repoId: repo.id,
    number,
    ...fields,
    userId: user.id,
    state: 'open',
    stateReason: null,
    deleted: false,
    closedAt: null,
    closedById: null,
  });
}

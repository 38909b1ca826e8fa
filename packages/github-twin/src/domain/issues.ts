import { ApiError, notFound } from '../basics/api-error.js';
import type { Issue, PullIssue, Repo, User } from '../store/rows.js';
import type { World } from '../world/world.js';

export function isPull(issue: Issue): issue is PullIssue {
  return issue.pull !== null;
}

export function findIssue(world: World, repo: Repo, number: number): Issue {
  const issue = world.store.issues.find((row) => row.repoId === repo.id && row.number === number);
  if (!issue) throw notFound();
  if (issue.deleted) throw new ApiError(410, 'This issue was deleted');
  return issue;
}

export function findPull(world: World, repo: Repo, number: number): PullIssue {
  const issue = findIssue(world, repo, number);
  if (!isPull(issue)) throw notFound();
  return issue;
}

export function listIssues(world: World, repo: Repo): Issue[] {
  return world.store.issues.filter((row) => row.repoId === repo.id && !row.deleted);
}

export function listPulls(world: World, repo: Repo): PullIssue[] {
  return listIssues(world, repo).filter(isPull);
}

/** Anything that happens in a thread moves it to the top of "recently updated". */
export function touch<Row extends Issue>(world: World, issue: Row): Row {
  const moved = { ...issue, updatedAt: world.stamp() };
  world.store.issues.put(moved);
  return moved;
}

export function closeIssue(
  world: World,
  issue: Issue,
  by: User | null,
  reason: Issue['stateReason'] = 'completed',
): Issue {
  if (issue.state === 'closed') return issue;
  const now = world.stamp();
  return world.store.issues.put({
    ...issue,
    state: 'closed',
    stateReason: issue.pull ? null : reason,
    closedAt: now,
    closedById: by?.id ?? null,
    updatedAt: now,
  });
}

export function takeNumber(world: World, repo: Repo): number {
  const current = world.store.repos.get(repo.id) ?? repo;
  world.store.repos.put({ ...current, nextNumber: current.nextNumber + 1 });
  return current.nextNumber;
}

export type NewIssue = Pick<Issue, 'title' | 'body' | 'labelIds' | 'pull'>;

export function openIssue(world: World, repo: Repo, user: User, fields: NewIssue): Issue {
  const now = world.stamp();
  return world.store.issues.put({
    id: world.store.nextId(),
    repoId: repo.id,
    number: takeNumber(world, repo),
    ...fields,
    userId: user.id,
    state: 'open',
    stateReason: null,
    deleted: false,
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedById: null,
    bornMs: world.clock.now(),
  });
}

import { listCommits, listShas } from '../git/commits.js';
import { type Refs, readRefs, setRef } from '../git/refs.js';
import { actingAs } from '../history/history.js';
import type { PullIssue, User } from '../store/rows.js';
import { type InRepo, stampOf } from '../world/world.js';
import { findClosedIssues } from './closing-keywords.js';
import { closeIssue, isPull, listIssues, listPulls, touch } from './issues.js';
import { fullName } from './permissions.js';

export type RefChange = { ref: string; before: string | null; after: string | null };

/**
 * Updates pull requests and issues after all pushes since the last call. The caller holds the repository's lock. `by`
 * is null if the pusher is unknown.
 */
export function syncRefs(where: InRepo, by: User | null): Promise<void> {
  return actingAs(by?.login ?? null, () => workThrough(where, by));
}

async function workThrough(where: InRepo, by: User | null): Promise<void> {
  const { world, repo } = where;
  const gitRepo = world.gitRepo(repo);
  const after = await readRefs(gitRepo.dir);
  const changes = diffRefs(gitRepo.refs(), after);
  if (changes.length === 0) return;
  const forced = await Promise.all(changes.map((change) => isForced(where, change)));
  const landed = await readLanded(where, changes);
  const closing = await readClosedByPush(where, changes);
  const open = listPulls(where).filter((issue) => issue.state === 'open');
  const settle = await Promise.all(
    open.map((issue) => followPull(where, issue, { refs: after, landed, by })),
  );

  gitRepo.setRefs(after);
  const now = stampOf(world);
  world.store.repos.put({ ...(world.store.repos.get(repo.id) ?? repo), pushedAt: now, updatedAt: now });
  for (const [index, change] of changes.entries()) {
    const facts = { by: by?.login ?? null, repo: fullName(repo), ...change, forced: forced[index] ?? false };
    world.history.record({ kind: 'ref', ...facts });
  }
  for (const change of settle) change?.();
  closeNumbers(where, closing, by);
}

function diffRefs(before: Refs, after: Refs): RefChange[] {
  return Object.keys({ ...before, ...after })
    .filter((ref) => before[ref] !== after[ref])
    .map((ref) => ({ ref, before: before[ref] ?? null, after: after[ref] ?? null }));
}

async function isForced({ world, repo }: InRepo, { before, after }: RefChange): Promise<boolean> {
  return before !== null && after !== null && !(await world.gitRepo(repo).isAncestor(before, after));
}

async function readClosedByPush({ world, repo }: InRepo, changes: RefChange[]): Promise<number[]> {
  const moved = changes.find((change) => change.ref === `refs/heads/${repo.defaultBranch}`);
  if (!moved?.after || !moved.before) return [];
  const range = ['--max-count=1000', moved.after, `^${moved.before}`];
  const commits = await listCommits(world.gitRepo(repo).dir, range);
  return commits.flatMap((commit) => findClosedIssues(commit.message, fullName(repo)));
}

/** The commits that a push added to a base branch. `chain` contains only the first-parent chain, oldest first. */
type Landed = Map<string, { shas: Set<string>; chain: string[] }>;
type Moves = { refs: Refs; landed: Landed; by: User | null };

/** Returns a function that makes the change. All rows then change in one synchronous step, after all git commands. */
async function followPull(where: InRepo, issue: PullIssue, moves: Moves): Promise<(() => void) | undefined> {
  const { refs, landed, by } = moves;
  const { baseRef, headRef, headSha } = issue.pull;
  const [head, base] = [refs[`refs/heads/${headRef}`], refs[`refs/heads/${baseRef}`]];
  const gained = landed.get(`refs/heads/${baseRef}`);
  // If a push merges the head and deletes its branch, the pull request is merged, not closed.
  const tip = head ?? headSha;
  const change = (settle: (current: PullIssue) => void) => () => {
    const current = where.world.store.issues.get(issue.id);
    if (current?.pull && current.state === 'open')
      settle({ ...current, pull: { ...current.pull, headSha: tip } });
  };
  const close = change((current) => closeIssue(where.world, current, { by }));
  if (gained?.shas.has(tip)) {
    const sha = await findBringer(where, gained.chain, tip);
    return change((current) => markMerged(where, current, { by, sha }));
  }
  if (head === undefined || base === undefined) return close;
  if (head === headSha) return undefined;
  await pointPullRef(where, issue.number, head);
  // A branch that was reset into its base has no commits left to merge.
  if (await where.world.gitRepo(where.repo).isAncestor(head, base)) return close;
  return change((current) => touch(where.world, { ...current, pull: { ...current.pull, baseSha: base } }));
}

/** Finds the first-parent commit of the base that brought in the head: the merge commit, or the head itself. */
async function findBringer({ world, repo }: InRepo, chain: string[], head: string): Promise<string> {
  if (chain.includes(head)) return head;
  for (const sha of chain) if (await world.gitRepo(repo).isAncestor(head, sha)) return sha;
  return head;
}

/** Reads the new commits once per base branch, not once per pull request. */
async function readLanded(where: InRepo, changes: RefChange[]): Promise<Landed> {
  const { dir } = where.world.gitRepo(where.repo);
  const open = listPulls(where).filter((issue) => issue.state === 'open');
  const bases = new Set(open.map((issue) => `refs/heads/${issue.pull.baseRef}`));
  const landed: Landed = new Map();
  for (const { ref, before, after } of changes) {
    if (!bases.has(ref) || !before || !after) continue;
    const shas = new Set(await listShas(dir, [after, `^${before}`]));
    landed.set(ref, {
      shas,
      chain: await listShas(dir, ['--first-parent', '--reverse', after, `^${before}`]),
    });
  }
  return landed;
}

/** Marks a pull request as merged. If its base is the default branch, also closes the issues named in its body. */
export function markMerged(
  where: InRepo,
  issue: PullIssue,
  { by, sha }: { by: User | null; sha: string },
): void {
  const { world, repo } = where;
  const merge = { mergedAt: stampOf(world), mergedById: by?.id ?? null, mergeCommitSha: sha };
  closeIssue(world, { ...issue, pull: { ...issue.pull, ...merge } }, { by });
  if (repo.defaultBranch === issue.pull.baseRef)
    closeNumbers(where, findClosedIssues(issue.body ?? '', fullName(repo)), by);
}

function closeNumbers(where: InRepo, numbers: number[], by: User | null): void {
  for (const issue of listIssues(where))
    if (numbers.includes(issue.number) && !isPull(issue)) closeIssue(where.world, issue, { by });
}

/** Keeps the head fetchable as `refs/pull/N/head` after its branch is deleted. */
export function pointPullRef({ world, repo }: InRepo, number: number, sha: string): Promise<void> {
  return setRef(world.gitRepo(repo).dir, `refs/pull/${number}/head`, sha);
}

import { listCommits, listShas } from '../git/commits.js';
import { type Refs, setRef } from '../git/refs.js';
import { actingAs } from '../history/history.js';
import type { PullIssue, Repo, User } from '../store/rows.js';
import type { World } from '../world/world.js';
import { findClosedIssues } from './closing-keywords.js';
import { closeIssue, isPull, listIssues, listPulls } from './issues.js';
import { fullName } from './permissions.js';

export type RefChange = { ref: string; before: string | null; after: string | null };

/** The refs as they are now; a push that nobody has worked through yet is worked through first. */
export async function freshRefs(world: World, repo: Repo): Promise<Refs> {
  const gitRepo = world.gitRepo(repo);
  const seen = () => world.store.refs.get(repo.id)?.refs ?? {};
  if (gitRepo.pushes > 0) return seen();
  const current = await gitRepo.readRefs();
  if (gitRepo.pushes > 0 || sameRefs(current, seen())) return seen();
  await gitRepo.lock(() => syncRefs(world, repo, null));
  return seen();
}

/**
 * Works through what changed since the refs were last seen. The caller holds the repository's lock. Whoever only
 * notices a change has not made it: without a mover, its consequences are nobody's writes.
 */
export function syncRefs(world: World, repo: Repo, by: User | null): Promise<RefChange[]> {
  return actingAs(by?.login ?? null, () => workThrough(world, repo, by));
}

async function workThrough(world: World, repo: Repo, by: User | null): Promise<RefChange[]> {
  const before = world.store.refs.get(repo.id)?.refs ?? {};
  const after = await world.gitRepo(repo).readRefs();
  const changes = diffRefs(before, after);
  if (changes.length === 0) return [];
  const forced = await Promise.all(changes.map((change) => isForced(world, repo, change)));
  const landed = await readLanded(world, repo, changes);
  const closing = await readClosedByPush(world, repo, changes);
  const pulls = await Promise.all(
    listPulls(world, repo).map((pull) => followPull(world, repo, pull, after, landed)),
  );

  world.store.refs.put({ id: repo.id, refs: after });
  const current = world.store.repos.get(repo.id) ?? repo;
  world.store.repos.put({ ...current, pushedAt: world.stamp(), updatedAt: world.stamp() });
  for (const [index, change] of changes.entries()) {
    const entry = { by: by?.login ?? null, repo: fullName(repo), ...change, forced: forced[index] ?? false };
    world.history.record({ kind: 'ref', ...entry });
  }
  for (const followed of pulls) settlePull(world, followed, by);
  closeNumbers(world, repo, closing, by);
  return changes;
}

export function diffRefs(before: Refs, after: Refs): RefChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names]
    .filter((ref) => before[ref] !== after[ref])
    .map((ref) => ({ ref, before: before[ref] ?? null, after: after[ref] ?? null }));
}

async function isForced(world: World, repo: Repo, { before, after }: RefChange): Promise<boolean> {
  if (before === null || after === null) return false;
  return !(await world.gitRepo(repo).isAncestor(before, after));
}

async function readClosedByPush(world: World, repo: Repo, changes: RefChange[]): Promise<number[]> {
  const moved = changes.find((change) => change.ref === `refs/heads/${repo.defaultBranch}`);
  if (!moved?.after || !moved.before) return [];
  const range = ['--max-count=1000', moved.after, `^${moved.before}`];
  const commits = await listCommits(world.gitRepo(repo).dir, range);
  return commits.flatMap((commit) => findClosedIssues(commit.message, fullName(repo)));
}

type Fate = { kind: 'stays' } | { kind: 'closed' } | { kind: 'merged'; sha: string } | { kind: 'moved' };
type Followed = { id: number; fate: Fate; head: string | undefined; base: string | undefined };

/** Asks git first and changes nothing, so that afterwards all rows change at one instant. */
async function followPull(
  world: World,
  repo: Repo,
  issue: PullIssue,
  refs: Refs,
  landed: Landed,
): Promise<Followed> {
  const baseName = `refs/heads/${issue.pull.baseRef}`;
  const head = refs[`refs/heads/${issue.pull.headRef}`];
  const base = refs[baseName];
  const followed = (fate: Fate): Followed => ({ id: issue.id, fate, head, base });
  if (issue.state === 'closed') return followed({ kind: 'stays' });
  const gained = landed.get(baseName);
  // A head that is deleted in the very push that brings it into the base is merged, not given up.
  const tip = head ?? issue.pull.headSha;
  if (gained?.shas.has(tip))
    return followed({ kind: 'merged', sha: await findBringer(world, repo, gained.chain, tip) });
  if (head === undefined || base === undefined) return followed({ kind: 'closed' });
  if (head === issue.pull.headSha) return followed({ kind: 'stays' });
  await pointPullRef(world, repo, issue.number, head);
  // A branch that was reset into its base has nothing left to propose.
  return followed({ kind: (await world.gitRepo(repo).isAncestor(head, base)) ? 'closed' : 'moved' });
}

/** What a base branch gained: all commits, and those on its own line, oldest first. */
type Gained = { shas: Set<string>; chain: string[] };
type Landed = Map<string, Gained>;

/** The commit on the base's own line that brought the head in: the merge commit, or the head itself. */
async function findBringer(world: World, repo: Repo, chain: string[], head: string): Promise<string> {
  if (chain.includes(head)) return head;
  let [low, high] = [0, chain.length - 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const has = await world.gitRepo(repo).isAncestor(head, chain[middle] ?? '');
    if (has) high = middle;
    else low = middle + 1;
  }
  return chain[low] ?? head;
}

/** The commits that each base branch gained: one question for all pull requests, however many are open. */
async function readLanded(world: World, repo: Repo, changes: RefChange[]): Promise<Landed> {
  const open = listPulls(world, repo).filter((issue) => issue.state === 'open');
  const bases = new Set(open.map((issue) => `refs/heads/${issue.pull.baseRef}`));
  const landed: Landed = new Map();
  for (const { ref, before, after } of changes) {
    if (!bases.has(ref) || !before || !after) continue;
    const { dir } = world.gitRepo(repo);
    const [shas, chain] = await Promise.all([
      listShas(dir, [after, `^${before}`]),
      listShas(dir, ['--first-parent', '--reverse', after, `^${before}`]),
    ]);
    landed.set(ref, { shas: new Set(shas), chain });
  }
  return landed;
}

function settlePull(world: World, { id, fate, head, base }: Followed, by: User | null): void {
  const issue = world.store.issues.get(id);
  if (!issue || !isPull(issue) || issue.state === 'closed' || fate.kind === 'stays') return;
  // What was proposed is measured from where the base was, so a base that swallowed the head is not taken over.
  const pull = { ...issue.pull, headSha: head ?? issue.pull.headSha };
  const moved = { ...pull, baseSha: base ?? pull.baseSha };
  if (fate.kind === 'merged') markMerged(world, { ...issue, pull }, { by, sha: fate.sha });
  else if (fate.kind === 'closed') closeIssue(world, { ...issue, pull }, by, null);
  else world.store.issues.put({ ...issue, pull: moved, updatedAt: world.stamp() });
}

/** However it came about, a merge into the default branch closes the issues that the description names. */
export function markMerged(world: World, issue: PullIssue, merge: { by: User | null; sha: string }): void {
  const mergedAt = world.stamp();
  const pull = { ...issue.pull, mergedAt, mergedById: merge.by?.id ?? null, mergeCommitSha: merge.sha };
  closeIssue(world, { ...issue, pull }, merge.by, null);
  const repo = world.store.repos.get(issue.repoId);
  if (repo && repo.defaultBranch === pull.baseRef)
    closeNumbers(world, repo, findClosedIssues(issue.body ?? '', fullName(repo)), merge.by);
}

function closeNumbers(world: World, repo: Repo, numbers: number[], by: User | null): void {
  for (const issue of listIssues(world, repo))
    if (numbers.includes(issue.number) && !isPull(issue)) closeIssue(world, issue, by);
}

/** `refs/pull/N/head`: what was proposed stays fetchable, whatever becomes of the branch. */
export async function pointPullRef(world: World, repo: Repo, number: number, sha: string): Promise<void> {
  const { dir } = world.gitRepo(repo);
  const ref = `refs/pull/${number}/head`;
  await setRef(dir, ref, sha);
}

function sameRefs(a: Refs, b: Refs): boolean {
  return a === b || diffRefs(a, b).length === 0;
}

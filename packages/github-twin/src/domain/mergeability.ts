import type { Refs } from '../git/refs.js';
import type { PullIssue, Repo } from '../store/rows.js';
import type { World } from '../world/world.js';
import { latestRuns } from './checks.js';

export type Mergeability = { mergeable: boolean | null; state: string };

const UNKNOWN: Mergeability = { mergeable: null, state: 'unknown' };

/** What GitHub's background job finds out: can it be merged into the base as it is now, and should it? */
export async function computeMergeability(
  world: World,
  repo: Repo,
  issue: PullIssue,
  refs: Refs,
): Promise<Mergeability> {
  const base = refs[`refs/heads/${issue.pull.baseRef}`];
  if (issue.state === 'closed' || base === undefined) return UNKNOWN;
  const merged = await world.gitRepo(repo).testMerge(base, issue.pull.headSha);
  if (merged === undefined) return { mergeable: false, state: 'dirty' };
  if (issue.pull.draft) return { mergeable: true, state: 'draft' };
  return { mergeable: true, state: checksPass(world, repo, issue.pull.headSha) ? 'clean' : 'unstable' };
}

/** The commit of the last test merge that is known; a pull request whose merge nobody has tried yet has none. */
export function findTestMerge(world: World, repo: Repo, issue: PullIssue): string | null {
  const base = world.store.refs.get(repo.id)?.refs[`refs/heads/${issue.pull.baseRef}`];
  if (issue.state === 'closed' || base === undefined) return null;
  return world.gitRepo(repo).knownTestMerge(base, issue.pull.headSha) ?? null;
}

function checksPass({ store }: World, repo: Repo, sha: string): boolean {
  const latest = new Map(
    store.statuses
      .filter((row) => row.repoId === repo.id && row.sha === sha)
      .map((row) => [row.context, row]),
  );
  const runs = latestRuns(store.checkRuns.filter((row) => row.repoId === repo.id && row.sha === sha));
  const fine = ['success', 'neutral', 'skipped'];
  return (
    [...latest.values()].every((row) => row.state === 'success') &&
    runs.every((run) => run.conclusion !== null && fine.includes(run.conclusion))
  );
}

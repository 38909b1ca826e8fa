import type { PullIssue } from '../store/rows.js';
import type { InRepo } from '../world/world.js';
import { listChecks } from './checks.js';

export const UNKNOWN = { mergeable: null, state: 'unknown' };

/** Computes `mergeable` and `mergeable_state`. On GitHub a background job does this. */
export async function computeMergeability(where: InRepo, issue: PullIssue) {
  const { pull } = issue;
  const gitRepo = where.world.gitRepo(where.repo);
  const base = gitRepo.branch(pull.baseRef);
  if (pull.mergedAt !== null || base === undefined) return UNKNOWN;
  const merged = await gitRepo.testMerge(base, pull.headSha);
  if (merged === undefined) return { mergeable: false, state: 'dirty' };
  if (pull.draft) return { mergeable: true, state: 'draft' };
  const passed = listChecks(where, pull.headSha).every((check) => check.state === 'success');
  return { mergeable: true, state: passed ? 'clean' : 'unstable' };
}

/** Returns the test merge of the current base and head, or null if it does not exist yet. */
export function findTestMerge({ world, repo }: InRepo, issue: PullIssue): string | null {
  const gitRepo = world.gitRepo(repo);
  const base = gitRepo.branch(issue.pull.baseRef);
  if (issue.pull.mergedAt !== null || base === undefined) return null;
  return gitRepo.knownTestMerge(base, issue.pull.headSha) ?? null;
}

import { findPull, inThread, isPull } from '../../domain/issues.js';
import { computeMergeability, UNKNOWN } from '../../domain/mergeability.js';
import { listReviewComments } from '../../domain/reviews.js';
import type { RepoCall } from '../../rest/repo-route.js';
import type { PullIssue } from '../../store/rows.js';
import { viewPullSimple } from '../../views/pull.js';
import { viewUserOf } from '../../views/user.js';

/** Renders a single pull request, including the fields that git computes. */
export async function viewFullPull(call: RepoCall, number: number) {
  const { world, repo, mergeableUnknown } = call;
  const { store } = world;
  const asked = asOfCall(call, findPull(call, number));
  const compared = await world.gitRepo(repo).compare(asked.pull.baseSha, asked.pull.headSha);
  const { mergeable, state } = mergeableUnknown ? UNKNOWN : await computeMergeability(call, asked);
  const files = compared?.files ?? [];
  const issue = asOfCall(call, findPull(call, number));
  return {
    ...viewPullSimple(call, issue),
    merged: issue.pull.mergedAt !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: state,
    ...(mergeableUnknown && { merge_commit_sha: issue.pull.mergeCommitSha }),
    merged_by: viewUserOf(call, issue.pull.mergedById),
    comments: store.comments.filter(inThread(issue)).filter(existsFor(call)).length,
    review_comments: listReviewComments(call, call.user).filter(inThread(issue)).filter(existsFor(call))
      .length,
    maintainer_can_modify: false,
    commits: compared?.aheadBy ?? 0,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: files.length,
  };
}

/** Returns the earlier version of the pull request that a stale read sees. */
function asOfCall(call: RepoCall, issue: PullIssue): PullIssue {
  if (call.staleMs === 0) return issue;
  const then = call.world.store.issues.asOf(issue.id, call.world.clock.now() - call.staleMs);
  return then && isPull(then) ? then : issue;
}

/** A stale read does not count later comments. */
const existsFor =
  ({ staleMs, world }: RepoCall) =>
  ({ createdMs }: { createdMs: number }): boolean =>
    staleMs === 0 || createdMs <= world.clock.now() - staleMs;

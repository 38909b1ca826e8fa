import { findPull, inThread, isPull } from '../../domain/issues.js';
import { computeMergeability, UNKNOWN } from '../../domain/mergeability.js';
import { listReviewComments } from '../../domain/reviews.js';
import type { RepoCall } from '../../rest/repo-route.js';
import type { PullIssue } from '../../store/rows.js';
import { viewPullDetails } from '../../views/full-pull.js';
import { viewPullSimple } from '../../views/pull.js';

/** Renders a single pull request, including the fields that git computes. */
export async function viewFullPull(call: RepoCall, number: number) {
  const { world, repo, mergeableUnknown } = call;
  const { store } = world;
  const asked = asOfCall(call, findPull(call, number));
  const compared = await world.gitRepo(repo).compare(asked.pull.baseSha, asked.pull.headSha);
  const { mergeable, state } = mergeableUnknown ? UNKNOWN : await computeMergeability(call, asked);
  const issue = asOfCall(call, findPull(call, number));
  const isShown = existsFor(call);
  const reviewComments = listReviewComments(call, call.user).filter(inThread(issue));
  return {
    ...viewPullSimple(call, issue),
    ...viewPullDetails(call, issue, {
      mergeable,
      state,
      compared,
      comments: store.comments.filter(inThread(issue)).filter(isShown).length,
      reviewComments: reviewComments.filter(isShown).length,
    }),
    ...(mergeableUnknown && { merge_commit_sha: issue.pull.mergeCommitSha }),
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

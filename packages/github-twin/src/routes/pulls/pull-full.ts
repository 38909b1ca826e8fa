import { findPull, isPull } from '../../domain/issues.js';
import { computeMergeability } from '../../domain/mergeability.js';
import { listReviewComments } from '../../domain/reviews.js';
import { diffText } from '../../git/diff.js';
import { type Answer, ok } from '../../rest/call.js';
import type { RepoCall } from '../../rest/repo-route.js';
import type { PullIssue } from '../../store/rows.js';
import { viewPullSimple } from '../../views/pull.js';
import { viewUserOf } from '../../views/user.js';

/** A single pull request: with what only a look into git can tell, or as a diff. */
export async function viewPullFull(call: RepoCall, issue: PullIssue): Promise<Answer> {
  if (!/application\/vnd\.github\.(?:v3\.)?diff\b/.test(call.accept))
    return ok(await viewFullBody(call, issue.number));
  const gitRepo = call.world.gitRepo(call.repo);
  const compared = await gitRepo.compare(issue.pull.baseSha, issue.pull.headSha);
  const content = await diffText(gitRepo.dir, compared?.mergeBase ?? issue.pull.baseSha, issue.pull.headSha);
  return { status: 200, text: { type: 'application/vnd.github.diff; charset=utf-8', content } };
}

export async function viewFullBody(call: RepoCall, number: number) {
  const { world, repo } = call;
  const asked = asOfCall(call, findPull(world, repo, number));
  const compared = await world.gitRepo(repo).compare(asked.pull.baseSha, asked.pull.headSha);
  const mergeability = await computeMergeability(world, repo, asked, call.refs);
  const { mergeable, state } = call.mergeableUnknown ? { mergeable: null, state: 'unknown' } : mergeability;
  const files = compared?.files ?? [];
  const sum = (count: (file: (typeof files)[number]) => number) =>
    files.reduce((total, file) => total + count(file), 0);
  const { store } = world;
  const here = (row: { repoId: number; number: number }) => row.repoId === repo.id && row.number === number;
  const issue = asOfCall(call, findPull(world, repo, number));
  return {
    ...viewPullSimple(call, repo, issue),
    merged: issue.pull.mergedAt !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: state,
    ...(call.mergeableUnknown && { merge_commit_sha: issue.pull.mergeCommitSha }),
    merged_by: viewUserOf(call, issue.pull.mergedById),
    comments: store.comments.filter(here).length,
    review_comments: listReviewComments(world, repo, call.user).filter(here).length,
    maintainer_can_modify: false,
    commits: compared?.aheadBy ?? 0,
    additions: sum((file) => file.additions),
    deletions: sum((file) => file.deletions),
    changed_files: files.length,
  };
}

/** A stale read serves the pull request as it was. */
function asOfCall(call: RepoCall, issue: PullIssue): PullIssue {
  if (call.staleMs === 0) return issue;
  const then = call.world.store.issues.asOf(issue.id, call.world.clock.now() - call.staleMs);
  return then && isPull(then) ? then : issue;
}

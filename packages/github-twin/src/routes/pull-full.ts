import { findPull, isPull } from '../domain/issues.js';
import { computeMergeability } from '../domain/mergeability.js';
import { listReviewComments } from '../domain/reviews.js';
import { listCommits } from '../git/commits.js';
import { diffText } from '../git/diff.js';
import { runGit } from '../git/run-git.js';
import { type Answer, ok } from '../http/call.js';
import { mediaOf } from '../http/media.js';
import type { PullIssue } from '../store/rows.js';
import { viewPullSimple } from '../views/pull.js';
import { viewGhost, viewUserOf } from '../views/user.js';
import type { RepoCall } from './repo-route.js';

/** A single pull request: with what only a look into git can tell, or as a diff. */
export async function viewPullFull(call: RepoCall, issue: PullIssue): Promise<Answer> {
  const media = mediaOf(call.accept);
  if (media === 'json') return ok(await viewFullBody(call, issue.number));
  const { dir } = call.world.depot(call.repo);
  const compared = await call.world.depot(call.repo).compare(issue.pull.baseSha, issue.pull.headSha);
  const from = compared?.mergeBase ?? issue.pull.baseSha;
  const content =
    media === 'patch'
      ? await runGit(dir, ['format-patch', '--stdout', `${from}..${issue.pull.headSha}`])
      : await diffText(dir, from, issue.pull.headSha);
  return { status: 200, text: { type: `application/vnd.github.${media}; charset=utf-8`, content } };
}

export async function viewFullBody(call: RepoCall, number: number) {
  const { world, repo } = call;
  const asked = asOfCall(call, findPull(world, repo, number));
  const compared = await world.depot(repo).compare(asked.pull.baseSha, asked.pull.headSha);
  const mergeability = await computeMergeability(world, repo, asked, call.refs);
  const { mergeable, state } = call.mergeableUnknown ? { mergeable: null, state: 'unknown' } : mergeability;
  const files = compared?.files ?? [];
  const sum = (count: (file: (typeof files)[number]) => number) =>
    files.reduce((total, file) => total + count(file), 0);
  const { store } = world;
  const here = (row: { repoId: number; number: number }) => row.repoId === repo.id && row.number === number;
  const issue = asOfCall(call, findPull(world, repo, number));
  const simple = viewPullSimple(call, repo, issue);
  return {
    ...simple,
    // A deleted account's pull request is shown as the ghost's: here GitHub's description knows no null.
    user: simple.user ?? viewGhost(call),
    merged: issue.pull.mergedAt !== null,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: state,
    ...(call.mergeableUnknown && { merge_commit_sha: issue.pull.mergeCommitSha }),
    merged_by: viewUserOf(call, issue.pull.mergedById),
    comments: store.comments.filter(here).length,
    review_comments: listReviewComments(world, repo, call.user).filter(here).length,
    maintainer_can_modify: issue.pull.maintainerCanModify,
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

/** The commits that a pull request proposes, oldest first, at most 250. */
export async function listPullCommits(call: RepoCall, issue: PullIssue) {
  const range = ['--reverse', '--topo-order', `${issue.pull.baseSha}..${issue.pull.headSha}`];
  const commits = await listCommits(call.world.depot(call.repo).dir, { range });
  return commits.slice(0, 250);
}

import { findTestMerge } from '../domain/mergeability.js';
import type { PullIssue, Repo } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';
import { issuePage, viewAssociation, viewLabels } from './issue.js';
import { repoUrl, viewRepo } from './repo.js';
import { nodeId, viewUserOf, viewUsers } from './user.js';

type RepoView = ReturnType<typeof viewRepo>;

/** One side of a pull request. Forks are not modelled, so both sides are in the same repository. */
function viewSide(context: ViewContext, repo: Repo, side: { ref: string; sha: string; view: RepoView }) {
  const owner = context.world.store.users.find((user) => user.login === repo.owner);
  return {
    label: `${repo.owner}:${side.ref}`,
    ref: side.ref,
    sha: side.sha,
    user: viewUserOf(context, owner?.id ?? null),
    repo: side.view,
  };
}

/** As in lists. `view` is the repository's own view, the same for all rows of a page. */
export function viewPullSimple(
  context: ViewContext,
  repo: Repo,
  issue: PullIssue,
  view: RepoView = viewRepo(context, repo),
) {
  const { pull } = issue;
  return {
    ...viewAddresses(context, repo, issue),
    id: pull.id,
    node_id: nodeId('PR', issue.id),
    number: issue.number,
    state: issue.state,
    locked: false,
    title: issue.title,
    user: viewUserOf(context, issue.userId),
    body: issue.body,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommitSha ?? findTestMerge(context.world, repo, issue),
    assignee: null,
    assignees: [],
    requested_reviewers: viewUsers(context, pull.reviewerIds),
    requested_teams: [],
    labels: viewLabels(context, repo, issue),
    milestone: null,
    draft: pull.draft,
    head: viewSide(context, repo, { ref: pull.headRef, sha: pull.headSha, view }),
    base: viewSide(context, repo, { ref: pull.baseRef, sha: pull.baseSha, view }),
    author_association: viewAssociation(context, repo, issue.userId),
    auto_merge: null,
    active_lock_reason: null,
  };
}

function viewAddresses(context: ViewContext, repo: Repo, issue: PullIssue) {
  const root = repoUrl(context, repo);
  const url = `${root}/pulls/${issue.number}`;
  const page = issuePage(context, repo, issue);
  const links = {
    self: url,
    html: page,
    issue: `${root}/issues/${issue.number}`,
    comments: `${root}/issues/${issue.number}/comments`,
    review_comments: `${url}/comments`,
    review_comment: `${root}/pulls/comments{/number}`,
    commits: `${url}/commits`,
    statuses: `${root}/statuses/${issue.pull.headSha}`,
  };
  return {
    url,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: links.issue,
    commits_url: links.commits,
    review_comments_url: links.review_comments,
    review_comment_url: links.review_comment,
    comments_url: links.comments,
    statuses_url: links.statuses,
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
  };
}

/** For the places that only name a pull request: checks and workflow runs. */
export function viewPullMinimal(context: ViewContext, repo: Repo, issue: PullIssue) {
  const named = { id: repo.id, url: repoUrl(context, repo), name: repo.name };
  return {
    url: `${repoUrl(context, repo)}/pulls/${issue.number}`,
    id: issue.pull.id,
    number: issue.number,
    head: { ref: issue.pull.headRef, sha: issue.pull.headSha, repo: named },
    base: { ref: issue.pull.baseRef, sha: issue.pull.baseSha, repo: named },
  };
}

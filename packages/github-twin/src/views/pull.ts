import { findTestMerge } from '../domain/mergeability.js';
import type { PullIssue } from '../store/rows.js';
import type { RepoView } from '../world/world.js';
import { issuePage, TIMES, viewAssociation, viewLabels } from './issue.js';
import { repoUrl, viewOwner, viewRepo } from './repo.js';
import { viewFields, viewUserOf, viewUsers } from './user.js';

type ViewedRepo = ReturnType<typeof viewRepo>;

/** Renders one side of a pull request. The twin has no forks, so both sides are in the same repository. */
function viewSide(context: RepoView, side: { ref: string; sha: string; repo: ViewedRepo }) {
  return { label: `${context.repo.owner}:${side.ref}`, user: viewOwner(context), ...side };
}

/** Renders a pull request in a list. `repo` is the repository's view, rendered once for all rows of a page. */
export function viewPullSimple(context: RepoView, issue: PullIssue, repo: ViewedRepo = viewRepo(context)) {
  const { pull } = issue;
  return {
    ...viewAddresses(context, issue),
    ...viewFields('PR', issue, ['number', 'state', 'title', 'body', ...TIMES]),
    id: pull.id,
    locked: false,
    active_lock_reason: null,
    user: viewUserOf(context, issue.userId),
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommitSha ?? findTestMerge(context, issue),
    assignee: null,
    assignees: [],
    requested_reviewers: viewUsers(context, pull.reviewerIds),
    requested_teams: [],
    labels: viewLabels(context, issue),
    milestone: null,
    draft: pull.draft,
    head: viewSide(context, { ref: pull.headRef, sha: pull.headSha, repo }),
    base: viewSide(context, { ref: pull.baseRef, sha: pull.baseSha, repo }),
    author_association: viewAssociation(context, issue.userId),
    auto_merge: null,
  };
}

function viewAddresses(context: RepoView, issue: PullIssue) {
  const root = repoUrl(context);
  const url = `${root}/pulls/${issue.number}`;
  const page = issuePage(context, issue);
  const links = {
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
    ...Object.fromEntries(Object.entries(links).map(([name, href]) => [`${name}_url`, href])),
    _links: Object.fromEntries(
      Object.entries({ self: url, html: page, ...links }).map(([name, href]) => [name, { href }]),
    ),
  };
}

/** Renders the short form that checks and workflow runs contain. */
export function viewPullMinimal(context: RepoView, issue: PullIssue) {
  const { repo } = context;
  const named = { id: repo.id, url: repoUrl(context), name: repo.name };
  return {
    url: `${repoUrl(context)}/pulls/${issue.number}`,
    id: issue.pull.id,
    number: issue.number,
    head: { ref: issue.pull.headRef, sha: issue.pull.headSha, repo: named },
    base: { ref: issue.pull.baseRef, sha: issue.pull.baseSha, repo: named },
  };
}

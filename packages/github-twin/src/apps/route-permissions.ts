import type { Level } from '../store/rows.js';

/** A permission and its level, such as `issues=write`. */
export type Need = `${string}=${Level}`;

const REPO = '/repos/{owner}/{repo}';

/**
 * What an installation token needs for each route below a repository. One of several permissions is enough, and the
 * first that the token has counts as used. Source: "Permissions required for GitHub Apps" of GitHub's documentation,
 * version 2022-11-28, read in August 2026.
 */
const BELOW_REPO: Record<string, readonly [Need, ...Need[]]> = {
  GET: ['metadata=read'],
  'GET /labels': ['issues=read', 'pull_requests=read'],
  'POST /labels': ['issues=write', 'pull_requests=write'],
  'GET /labels/{name}': ['issues=read', 'pull_requests=read'],
  'DELETE /labels/{name}': ['issues=write', 'pull_requests=write'],
  'GET /issues': ['issues=read'],
  'POST /issues': ['issues=write'],
  'GET /issues/{issue_number}': ['issues=read'],
  'PATCH /issues/{issue_number}': ['issues=write', 'pull_requests=write'],
  'POST /issues/{issue_number}/labels': ['issues=write', 'pull_requests=write'],
  'DELETE /issues/{issue_number}/labels/{name}': ['issues=write', 'pull_requests=write'],
  'GET /issues/comments': ['issues=read', 'pull_requests=read'],
  'GET /issues/comments/{comment_id}': ['issues=read', 'pull_requests=read'],
  'PATCH /issues/comments/{comment_id}': ['issues=write', 'pull_requests=write'],
  'DELETE /issues/comments/{comment_id}': ['issues=write', 'pull_requests=write'],
  'GET /issues/{issue_number}/comments': ['issues=read', 'pull_requests=read'],
  'POST /issues/{issue_number}/comments': ['issues=write', 'pull_requests=write'],
  'GET /issues/{issue_number}/dependencies/blocked_by': ['issues=read'],
  'GET /issues/{issue_number}/dependencies/blocking': ['issues=read'],
  'POST /issues/{issue_number}/dependencies/blocked_by': ['issues=write'],
  'DELETE /issues/{issue_number}/dependencies/blocked_by/{issue_id}': ['issues=write'],
  'GET /issues/{issue_number}/reactions': ['issues=read'],
  'POST /issues/{issue_number}/reactions': ['issues=write'],
  'DELETE /issues/{issue_number}/reactions/{reaction_id}': ['issues=write'],
  'GET /issues/comments/{comment_id}/reactions': ['issues=read'],
  'POST /issues/comments/{comment_id}/reactions': ['issues=write'],
  'DELETE /issues/comments/{comment_id}/reactions/{reaction_id}': ['issues=write'],
  'GET /pulls/comments/{comment_id}/reactions': ['pull_requests=read'],
  'POST /pulls/comments/{comment_id}/reactions': ['pull_requests=write'],
  'DELETE /pulls/comments/{comment_id}/reactions/{reaction_id}': ['pull_requests=write'],
  'GET /pulls': ['pull_requests=read'],
  'POST /pulls': ['pull_requests=write'],
  'GET /pulls/{pull_number}': ['pull_requests=read', 'contents=read'],
  'PATCH /pulls/{pull_number}': ['pull_requests=write'],
  'GET /pulls/{pull_number}/files': ['pull_requests=read'],
  'GET /pulls/{pull_number}/commits': ['pull_requests=read'],
  'PUT /pulls/{pull_number}/merge': ['contents=write'],
  'GET /pulls/comments': ['pull_requests=read'],
  'GET /pulls/comments/{comment_id}': ['pull_requests=read'],
  'PATCH /pulls/comments/{comment_id}': ['pull_requests=write'],
  'DELETE /pulls/comments/{comment_id}': ['pull_requests=write'],
  'GET /pulls/{pull_number}/comments': ['pull_requests=read'],
  'POST /pulls/{pull_number}/comments': ['pull_requests=write'],
  'POST /pulls/{pull_number}/comments/{comment_id}/replies': ['pull_requests=write'],
  'GET /pulls/{pull_number}/reviews': ['pull_requests=read'],
  'POST /pulls/{pull_number}/reviews': ['pull_requests=write'],
  'GET /pulls/{pull_number}/reviews/{review_id}': ['pull_requests=read'],
  'PUT /pulls/{pull_number}/reviews/{review_id}': ['pull_requests=write'],
  'GET /pulls/{pull_number}/reviews/{review_id}/comments': ['pull_requests=read'],
  'POST /pulls/{pull_number}/reviews/{review_id}/events': ['pull_requests=write'],
  'PUT /pulls/{pull_number}/reviews/{review_id}/dismissals': ['pull_requests=write'],
  'GET /pulls/{pull_number}/requested_reviewers': ['pull_requests=read'],
  'POST /pulls/{pull_number}/requested_reviewers': ['pull_requests=write'],
  'GET /branches': ['contents=read'],
  'GET /branches/{branch}': ['contents=read'],
  'GET /commits/{ref}': ['contents=read'],
  'GET /compare/{basehead}': ['contents=read'],
  'GET /contents/{path}': ['contents=read'],
  'GET /git/ref/{ref}': ['contents=read'],
  'POST /git/refs': ['contents=write'],
  'PATCH /git/refs/{ref}': ['contents=write'],
  'DELETE /git/refs/{ref}': ['contents=write'],
  'POST /statuses/{sha}': ['statuses=write'],
  'GET /commits/{ref}/status': ['statuses=read'],
  'POST /check-runs': ['checks=write'],
  'PATCH /check-runs/{check_run_id}': ['checks=write'],
  'GET /commits/{ref}/check-runs': ['checks=read'],
  'GET /check-runs/{check_run_id}/annotations': ['checks=read'],
  'GET /actions/workflows': ['actions=read'],
  'GET /actions/runs': ['actions=read'],
  'GET /actions/runs/{run_id}': ['actions=read'],
  'POST /actions/runs/{run_id}/rerun-failed-jobs': ['actions=write'],
  'GET /actions/runs/{run_id}/jobs': ['actions=read'],
  'GET /actions/runs/{run_id}/attempts/{attempt_number}/jobs': ['actions=read'],
  'GET /actions/jobs/{job_id}/logs': ['actions=read'],
};

/** The permissions for routes other than a repository's REST routes. */
export const GIT_NEEDS = { fetch: 'contents=read', push: 'contents=write' } as const;
export const GRAPHQL_NEEDS = {
  pullRequest: 'pull_requests=read',
  issue: 'issues=read',
  resolveReviewThread: 'contents=write',
} as const;

/** Returns the permissions of which a route needs one, or undefined for routes that every token may call. */
export function needsOf(method: string, template: string): readonly [Need, ...Need[]] | undefined {
  if (!template.startsWith(REPO)) return undefined;
  const below = template.slice(REPO.length);
  return BELOW_REPO[below === '' ? method : `${method} ${below}`];
}

const READ_ISSUE = 'GET /repos/{owner}/{repo}/issues/{issue_number}';
const REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';
const LINE = 'PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}';

/** How the twin's answers differ from recorded ones, by reason. Names are as in `recorded-shapes.json`. */
const DIFFERENCES_BY_REASON: Record<string, string[]> = {
  'GitHub added the field after the recording: other recordings of 2026 have it.': [
    '$pull-repo.has_pull_requests: was never recorded',
    '$pull-repo.pull_request_creation_policy: was never recorded',
    `${READ_ISSUE}.issue_dependencies_summary: was never recorded`,
    `${READ_ISSUE}.issue_field_values: was never recorded`,
    `${READ_ISSUE}.pinned_comment: was never recorded`,
    `${READ_ISSUE}.sub_issues_summary: was never recorded`,
    `${READ_ISSUE}.type: was never recorded`,
  ],
  'No recording since 2024 is of a pull request, which has this field.': [
    `${READ_ISSUE}.draft: was never recorded`,
  ],
  'No recorded pull request was merged.': [
    'GET /repos/{owner}/{repo}/pulls/{pull_number}.merged_at: is string',
    'GET /repos/{owner}/{repo}/pulls/{pull_number}.merged_by: is object',
  ],
  'The recorded pull request was closed.': [
    'PATCH /repos/{owner}/{repo}/pulls/{pull_number}.closed_at: is null',
  ],
  'The recorded comments are on several lines, which the twin does not store for replies and edits of one line.':
    [
      `${LINE}.original_start_line: is null`,
      `${LINE}.start_line: is null`,
      `${LINE}.start_side: is null`,
      `${REPLY}.original_start_line: is null`,
      `${REPLY}.start_line: is null`,
      `${REPLY}.start_side: is null`,
    ],
  'The recorded objects had an optional text or URL. The schema allows null.': [
    '$app.description: is null',
    'GET /app.description: is null',
    '$installation-repo.description: is null',
    '$status-combined.target_url: is null',
    'POST /repos/{owner}/{repo}/statuses/{sha}.target_url: is null',
    'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}.output.summary: is null',
    'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}.output.title: is null',
  ],
  'Permissions are the App’s own, so every App has other keys.': [
    'GET /app.permissions.actions: was never recorded',
    'GET /app.permissions.administration: is missing',
    'GET /app.permissions.issues: was never recorded',
    'GET /app.permissions.members: is missing',
  ],
  'The recorded commits were signed by GitHub. The twin signs none.': ['$verification.verified_at: is null'],
  'The recorded run was a second attempt.': [
    'GET /repos/{owner}/{repo}/actions/runs/{run_id}.previous_attempt_url: is null',
  ],
};

export const DIFFERENCES = new Set(Object.values(DIFFERENCES_BY_REASON).flat());

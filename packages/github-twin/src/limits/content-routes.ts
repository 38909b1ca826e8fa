const REPO = '/repos/{owner}/{repo}';

/** Requests that notify people; GitHub limits them more tightly than other writes. */
const CONTENT = new Set([
  `POST ${REPO}/issues`,
  `POST ${REPO}/issues/{issue_number}/comments`,
  `POST ${REPO}/pulls`,
  `POST ${REPO}/pulls/{pull_number}/comments`,
  `POST ${REPO}/pulls/{pull_number}/comments/{comment_id}/replies`,
  `POST ${REPO}/pulls/{pull_number}/reviews`,
  `POST ${REPO}/pulls/{pull_number}/reviews/{review_id}/events`,
  `POST ${REPO}/pulls/{pull_number}/requested_reviewers`,
  `PUT ${REPO}/pulls/{pull_number}/merge`,
]);

export const isContent = (route: string) => CONTENT.has(route);

import { type ReviewContext, toRole } from '@mergexo/core/turns';
import type { Issue } from '@mergexo/github';

export function describeIssue(issue: Issue): ReviewContext['issue'] {
  const { number, title, body, author, association, labels, url, createdAt } = issue;
  return { number, title, body, author: author.login, labels, url, ...toRole(association), createdAt };
}

import type { ReviewContext } from '@mergexo/core/turns';
import type { Issue } from '@mergexo/github';

export function describeIssue({ number, title, body, author, labels, url }: Issue): ReviewContext['issue'] {
  return { number, title, body, author: author.login, labels, url };
}

import { createHash } from 'node:crypto';

/** The kind in the signed line of a status comment. */
export const STATUS_KIND = 'issue_status';

/** Computes the id of an issue's status comment. An issue has one, even after a database loss. */
export function computeStatusId({ repoId, issueNumber }: { repoId: number; issueNumber: number }): string {
  return createHash('sha256')
    .update(JSON.stringify([STATUS_KIND, repoId, issueNumber]))
    .digest('hex');
}

import type { Remark } from '@mergexo/core/feedback';

const SAID_AT = '2026-01-02T03:04:05Z';

/** A comment by `ada` on issue or pull request 1, unless overridden. */
export function aRemark(said: Partial<Remark> = {}): Remark {
  const onLine = { path: null, line: null, side: null, inReplyToId: null };
  return {
    kind: 'issue',
    commentId: 1,
    thread: 1,
    body: 'please',
    author: { id: 7, login: 'ada', type: 'User' },
    url: 'https://example.com',
    createdAt: SAID_AT,
    updatedAt: SAID_AT,
    ...onLine,
    reviewId: null,
    reviewState: null,
    ...said,
  };
}

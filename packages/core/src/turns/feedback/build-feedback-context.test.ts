import type { Remark } from '../../feedback/remark.js';
import { buildFeedbackContext, type FeedbackMaterial } from './build-feedback-context.js';

const author = { login: 'ada', id: 1, type: 'User' };
const WHEN = { createdAt: 't', updatedAt: 't', url: 'u' };

const aRemark = (commentId: number, inReplyToId: number | null = null): Remark => ({
  kind: 'review',
  commentId,
  thread: 9,
  body: 'Why?',
  author,
  path: 'a.ts',
  line: 1,
  side: 'RIGHT',
  inReplyToId,
  reviewId: null,
  reviewState: null,
  ...WHEN,
});

const aComment = (id: number, diffHunk: string | null, inReplyToId: number | null = null) => ({
  id,
  author,
  body: 'Why?',
  inReplyToId,
  path: 'a.ts',
  line: 1,
  diffHunk,
  ...WHEN,
});

function hunksOf(remarks: readonly Remark[], reviewComments: FeedbackMaterial['reviewComments']) {
  const { events, cuts } = buildFeedbackContext({
    repo: 'acme/app',
    flow: 'bugfix',
    branch: 'b',
    designDocPath: null,
    headSha: 'a'.repeat(40),
    pull: { number: 9, title: 'T', body: '', author: 'robot', baseBranch: 'main', url: 'u' },
    issue: { number: 7, title: 'T', body: '', author: 'ada', labels: [], url: 'u' },
    remarks,
    reviewStates: new Map(),
    reviewComments,
    conversation: [],
    signals: [],
    checks: [],
    session: { adapter: 'codex', threadId: null },
    stateSummary: '',
    previousActions: [],
  });
  return { hunks: events.map(({ diffHunk }) => diffHunk), cuts };
}

describe('the diff above a line comment', () => {
  it('is included once per thread', () => {
    const comments = [aComment(1, '+one'), aComment(2, '+one', 1), aComment(3, '+three'), aComment(4, null)];
    const remarks = [aRemark(1), aRemark(2, 1), aRemark(3), aRemark(4), aRemark(5)];
    expect(hunksOf(remarks, comments).hunks).toEqual(['+one', null, '+three', null, null]);
  });

  it('keeps only its last whole lines if it is long', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `+line ${index}`);
    const [hunk = ''] = hunksOf([aRemark(1)], [aComment(1, lines.join('\n'))]).hunks;
    expect(hunk?.length).toBeLessThanOrEqual(2_000);
    expect(lines.slice(-(hunk ?? '').split('\n').length).join('\n')).toBe(hunk);
  });

  it('is omitted with a note to the agent if all diffs together are too long', () => {
    const ids = Array.from({ length: 60 }, (_, index) => index + 1);
    const { hunks, cuts } = hunksOf(
      ids.map((id) => aRemark(id)),
      ids.map((id) => aComment(id, 'x'.repeat(2_000))),
    );
    expect(hunks.filter((hunk) => hunk !== null)).toHaveLength(20);
    expect(cuts).toHaveLength(40);
    expect(cuts[0]).toBe('the diff of comment 21');
  });
});

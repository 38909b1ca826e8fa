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
  startLine: null as number | null,
  startSide: null as string | null,
  line: 1 as number | null,
  originalStartLine: null as number | null,
  originalLine: 1,
  originalCommitId: 'b'.repeat(40) as string | null,
  diffHunk,
  ...WHEN,
});

function build(
  remarks: readonly Remark[],
  reviewComments: FeedbackMaterial['reviewComments'],
  previousActions: FeedbackMaterial['previousActions'] = [],
) {
  return buildFeedbackContext({
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
    issueComments: [],
    linked: [],
    unreadLinks: [],
    resolved: new Set(),
    signals: [],
    checks: [],
    session: { adapter: 'codex', threadId: null },
    stateSummary: '',
    previousActions,
  });
}

function hunksOf(...material: Parameters<typeof build>) {
  return { hunks: build(...material).events.map(({ diffHunk }) => diffHunk) };
}

describe('the diff above a line comment', () => {
  it('lists new comments oldest first, in whatever order MergeXO recorded them', () => {
    const [earlier, later] = ['2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z'];
    const remarks = [
      { ...aRemark(9), createdAt: later },
      { ...aRemark(8), createdAt: later },
      { ...aRemark(12), createdAt: earlier },
    ];
    expect(build(remarks, []).events.map(({ id }) => id)).toEqual([12, 8, 9]);
  });

  it('is included once per thread', () => {
    const comments = [aComment(1, '+one'), aComment(2, '+one', 1), aComment(3, '+three'), aComment(4, null)];
    const remarks = [aRemark(1), aRemark(2, 1), aRemark(3), aRemark(4), aRemark(5)];
    expect(hunksOf(remarks, comments).hunks).toEqual(['+one', null, '+three', null, null]);
  });

  it('keeps only its last forty lines', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `+line ${index}`);
    const { hunks } = hunksOf([aRemark(1)], [aComment(1, lines.join('\n'))]);
    expect(hunks).toEqual([lines.slice(-40).join('\n')]);
  });

  it('keeps only whole lines if its lines are long', () => {
    const [hunk = ''] = hunksOf([aRemark(1)], [aComment(1, `${'x'.repeat(9_000)}\n+last`)]).hunks;
    expect(hunk).toBe('+last');
  });
});

describe('the lines of a comment', () => {
  const linesOf = (comment: Partial<ReturnType<typeof aComment>> & { line?: number | null }) => {
    const [event] = build([aRemark(1)], [{ ...aComment(1, null), ...comment }]).events;
    return event && { startLine: event.startLine, line: event.line, outdated: event.outdated };
  };
  const sha = 'b'.repeat(40);

  it.each<[string, Parameters<typeof linesOf>[0], ReturnType<typeof linesOf>]>([
    ['one line', {}, { startLine: null, line: 1, outdated: null }],
    ['a range', { startLine: 4, line: 9 }, { startLine: 4, line: 9, outdated: null }],
    [
      'an outdated range, with its commit',
      { line: null, originalStartLine: 4, originalLine: 9 },
      { startLine: null, line: null, outdated: { sha, startLine: 4, line: 9 } },
    ],
    [
      'an outdated comment whose commit GitHub does not name',
      { line: null, originalCommitId: null },
      { startLine: null, line: null, outdated: null },
    ],
  ])('are %s', (_name, comment, lines) => {
    expect(linesOf(comment)).toEqual(lines);
  });
});

it('keeps the newest of the agent’s earlier posts, and notes how many it leaves out', () => {
  const posts = Array.from({ length: 50 }, (_, index) => ({
    ...{ kind: 'general_comment', target: null, outcome: 'posted', commentId: index },
    summary: 'x'.repeat(50_000),
  }));
  const { previousActions, cuts } = build([], [], posts);
  expect(previousActions.map(({ commentId }) => commentId)).toEqual(
    posts.slice(10).map((_, index) => index + 10),
  );
  expect(cuts).toEqual(['your earlier posts: the first 10 of 50']);
  expect(previousActions[0]).toEqual(posts[10]);
});

describe('a range of lines', () => {
  const place = (comment: object) => {
    const line = { ...aComment(11, null, null), ...comment };
    const [event] = build([aRemark(11, null)], [line]).events;
    const { startLine, startsAt, line: last, outdated } = event ?? {};
    return { startLine, startsAt, line: last, outdated };
  };

  it('has the numbers of one side of the diff', () => {
    const same = { startSide: 'RIGHT', startLine: 4, line: 6 };
    expect(place(same)).toEqual({ startLine: 4, startsAt: undefined, line: 6, outdated: null });
  });

  it('names its start apart if it starts on the other side', () => {
    const mixed = { startSide: 'LEFT', startLine: 9, line: 6 };
    const startsAt = { side: 'LEFT', line: 9 };
    expect(place(mixed)).toEqual({ startLine: null, startsAt, line: 6, outdated: null });
    const gone = { startSide: 'LEFT', originalStartLine: 9, originalLine: 6, line: null };
    expect(place(gone)).toEqual({
      startLine: null,
      startsAt,
      line: null,
      outdated: { sha: 'b'.repeat(40), startLine: null, line: 6 },
    });
  });
});

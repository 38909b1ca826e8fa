import { type FeedbackEventContext, FeedbackEventContext as Schema } from './feedback-context.js';
import { listSuggestions, renderEvent } from './render-event.js';

const SUGGESTION = 'Better:\n```suggestion\n  a();\n```';
const event = (overrides: Partial<FeedbackEventContext> = {}): FeedbackEventContext =>
  Schema.parse({
    key: '3:review:11:then',
    kind: 'review',
    id: 11,
    rootId: 11,
    path: 'src/a.ts',
    line: 4,
    side: 'RIGHT',
    reviewState: null,
    author: 'ada',
    body: 'Why?',
    createdAt: 'then',
    updatedAt: 'then',
    url: 'u',
    ...overrides,
  });
const outdated = { sha: 'b'.repeat(40), startLine: 2, line: 4 };
const namesOf = (...args: Parameters<typeof renderEvent>) =>
  renderEvent(...args).map((part) => (typeof part === 'string' ? part : `${part.value}: ${part.name}`));

describe('a new event in a prompt', () => {
  it('comes after the diff above its line, whose end stays if there is no room', () => {
    const [diff, comment] = renderEvent(event({ diffHunk: '@@ -1 +1 @@\n+one' }), undefined);
    expect(diff).toMatchObject({
      value: 'code',
      name: 'DIFF FOR COMMENT 11',
      text: '@@ -1 +1 @@\n+one',
      keeps: 'end',
    });
    expect(comment).toMatchObject({ value: 'event', text: 'Why?' });
  });

  it('says that its diff was cut', () => {
    expect(namesOf(event({ diffHunk: '+one' }), undefined)[0]).toBe(
      'code: DIFF FOR COMMENT 11 (its last lines)',
    );
  });

  it('comes after the current code if it is outdated, and says where it was made', () => {
    const code = { startLine: 3, text: 'one\ntwo', left: 0 };
    expect(namesOf(event({ line: null, outdated }), code)).toEqual([
      'code: CURRENT CODE FOR COMMENT 11 AT src/a.ts:3-4',
      'event: NEW REVIEW COMMENT 11 BY ada ON then AT src/a.ts (outdated: made on lines 2-4 of commit bbbbbbbbbbbb, which have changed since)',
    ]);
  });

  it('says how many lines of its current code are left out', () => {
    const code = { startLine: 3, text: 'one\ntwo', left: 7 };
    expect(namesOf(event({ line: null, outdated }), code)[0]).toBe(
      'code: CURRENT CODE FOR COMMENT 11 AT src/a.ts:3-4 (7 more lines in the file)',
    );
  });

  it.each([
    [true, 'LOG OF FAILED RUN 11 WITHOUT ITS BEGINNING'],
    [false, 'LOG OF FAILED RUN 11'],
  ])('says whether the beginning of its log is missing: %s', (isLogCut, name) => {
    expect(renderEvent(event({ kind: 'ci', log: 'boom', isLogCut }), undefined).at(-1)).toMatchObject({
      name,
    });
  });

  it('says that its file no longer exists', () => {
    expect(namesOf(event({ line: null, outdated }), null)).toEqual([
      'event: NEW REVIEW COMMENT 11 BY ada ON then AT src/a.ts (outdated: made on lines 2-4 of commit bbbbbbbbbbbb; the file no longer exists)',
    ]);
  });

  it('says where its range starts if that is on the other side of the diff', () => {
    const mixed = event({ line: 6, startsAt: { side: 'LEFT', line: 9 } });
    expect(namesOf(mixed, undefined)).toEqual([
      'event: NEW REVIEW COMMENT 11 BY ada ON then AT src/a.ts:6 (from line 9 on the base side of the diff)',
    ]);
    const reverse = event({ line: 6, side: 'LEFT', startsAt: { side: 'RIGHT', line: 9 } });
    expect(namesOf(reverse, undefined)[0]).toMatch(
      /a\.ts:6 \(on the base side of the diff\) \(from line 9 on the head side of the diff\)$/,
    );
  });

  it('says that its thread is resolved', () => {
    const resolved = event({ rootId: 8, isResolved: true });
    expect(namesOf(resolved, undefined)).toEqual([
      'event: NEW REVIEW COMMENT 11 BY ada ON then AT src/a.ts:4 IN THREAD 8 (resolved)',
    ]);
  });

  it('is followed by its suggestion with the lines to replace', () => {
    const [, suggestion] = renderEvent(event({ startLine: 2, body: SUGGESTION }), undefined);
    expect(suggestion).toMatchObject({
      value: 'code',
      name: 'SUGGESTION IN COMMENT 11: REPLACEMENT FOR LINES 2-4 OF src/a.ts',
      text: '  a();',
    });
  });
});

describe('listSuggestions', () => {
  it.each<[string, Partial<FeedbackEventContext>]>([
    ['an outdated comment', { line: null, outdated }],
    ['a comment on the base side of the diff', { side: 'LEFT' }],
    ['a range that starts on the base side', { startsAt: { side: 'LEFT', line: 3 } }],
    ['a comment on no line', { kind: 'issue', path: null, line: null }],
  ])('lists none of %s, because its lines are not those of the branch', (_name, overrides) => {
    expect(listSuggestions(event({ ...overrides, body: SUGGESTION }))).toEqual([]);
  });

  it('lists at most three', () => {
    expect(listSuggestions(event({ body: Array(5).fill(SUGGESTION).join('\n') }))).toHaveLength(3);
  });
});

import { measureGrowth } from '@mergexo/testkit';
import fc from 'fast-check';
import { QUESTION_KINDS, type QuestionKind } from '../turns/turn-kind.js';
import { AgentAnswer, AgentRequest } from './agent-request.js';
import { parseAgentOutput } from './parse-agent-output.js';

const CHANGE = {
  pr_title: 'Title',
  pr_summary: 'Why',
  commit_message: 'Subject\n\nBody',
  state_summary: 'Now',
};
const DESIGN = {
  title: 'Title',
  summary: 'Why',
  touch_paths: ['src/**'],
  priority: 3,
  depends_on: [17],
  estimated_size: 'M',
  design_doc_markdown: '# Plan',
  state_summary: 'Now',
};
const FEEDBACK = { review_replies: [{ review_comment_id: 5, body: 'Done' }], state_summary: 'Now' };
const FINDING = { path: 'src/a.ts', line: 3, severity: 'high', category: 'security', body: 'Leaks' };
const REVIEW = { summary: 'Two things', findings: [FINDING] };
const VERIFIED = { findings: [{ id: 1, status: 'refuted', evidence: 'src/a.ts:3 returns before.' }] };
const FIX = {
  summary: 'Fixed',
  findings: [{ id: 1, resolution: 'fixed', note: 'Done' }],
  state_summary: 'Now',
};

const errorsOf = (kind: QuestionKind, value: unknown): string[] => {
  const parsed = parseAgentOutput(kind, value);
  return parsed.kind === 'valid' ? [] : parsed.errors;
};

describe('parseAgentOutput', () => {
  it.each<[QuestionKind, object, object]>([
    ['design_start', DESIGN, { kind: 'done', ...DESIGN }],
    ['bugfix_start', { ...CHANGE, blocked_reason: null }, { kind: 'done', ...CHANGE }],
    ['small_job_start', { ...CHANGE, blocked_reason: '  ' }, { kind: 'done', ...CHANGE }],
    ['implementation_start', { blocked_reason: 'Which?' }, { kind: 'blocked', blocked_reason: 'Which?' }],
    ['design_start', { ...DESIGN, blocked_reason: 'No' }, { kind: 'blocked', blocked_reason: 'No' }],
    [
      'design_feedback',
      FEEDBACK,
      { ...FEEDBACK, general_comment: null, commit_message: null, blocked_reason: null, flaky: null },
    ],
    [
      'review',
      REVIEW,
      {
        ...REVIEW,
        earlier: [],
        findings: [{ ...FINDING, start_line: null, introduced: true, suggestion: null }],
      },
    ],
    ['review_verify', VERIFIED, VERIFIED],
    ['review_fix', FIX, { ...FIX, commit_message: null }],
  ])('reads a %s', (kind, value, output) => {
    expect(parseAgentOutput(kind, value)).toEqual({ kind: 'valid', output });
  });

  it('removes color codes and lone surrogates from texts and keeps lines and tabs', () => {
    const parsed = parseAgentOutput('bugfix_start', {
      ...CHANGE,
      pr_title: 'Title\u0000\u001b',
      pr_summary: '\u001b[31mred\u001b[0m\r\n\tnext \ud800',
    });
    expect(parsed).toMatchObject({ output: { pr_title: 'Title', pr_summary: '[31mred[0m\n\tnext \ufffd' } });
  });

  it.each<[string, QuestionKind, unknown, string]>([
    [
      'a value that is not an object',
      'review',
      'fine',
      'the output: Invalid input: expected object, received string',
    ],
    ['nothing', 'review', undefined, 'the output: Invalid input: expected object, received undefined'],
    ['an unknown field', 'review_fix', { ...FIX, run: 'rm' }, 'the output: Unrecognized key: "run"'],
    [
      'a range that ends before it starts',
      'review',
      { ...REVIEW, findings: [{ ...FINDING, start_line: 4 }] },
      'findings[0].start_line must not be greater than line, which is the last line of the range',
    ],
    [
      'an answer without evidence',
      'review',
      { ...REVIEW, earlier: [{ id: 1, status: 'fixed', evidence: ' ' }] },
      'earlier[0].evidence: Invalid input: expected string, received null',
    ],
    ['a verdict', 'review', { ...REVIEW, approve: true }, 'the output: Unrecognized key: "approve"'],
    [
      'an answer with neither work nor a reason',
      'bugfix_start',
      {},
      'pr_title is required unless you set blocked_reason',
    ],
    [
      'a blank title',
      'bugfix_start',
      { ...CHANGE, pr_title: ' ' },
      'pr_title is required unless you set blocked_reason',
    ],
    [
      'a long title',
      'bugfix_start',
      { ...CHANGE, pr_title: 'x'.repeat(257) },
      'pr_title must have at most 256 characters',
    ],
    [
      'a title of two lines',
      'bugfix_start',
      { ...CHANGE, pr_title: 'a\nb' },
      'pr_title must be one line without control or direction characters',
    ],
    [
      'a title with a direction override',
      'bugfix_start',
      { ...CHANGE, pr_title: 'a\u202eb' },
      'pr_title must be one line without control or direction characters',
    ],
    [
      'a commit message without a subject',
      'bugfix_start',
      { ...CHANGE, commit_message: '\n\nbody' },
      'commit_message must begin with a subject line of 1 to 200 characters',
    ],
    [
      'a long subject',
      'bugfix_start',
      { ...CHANGE, commit_message: 'x'.repeat(201) },
      'commit_message must begin with a subject line of 1 to 200 characters',
    ],
    [
      'a long body',
      'bugfix_start',
      { ...CHANGE, pr_summary: 'x'.repeat(60_001) },
      'pr_summary must have at most 60000 characters',
    ],
    [
      'a priority of 6',
      'design_start',
      { ...DESIGN, priority: 6 },
      'priority: Too big: expected number to be <=5',
    ],
    [
      '201 paths',
      'design_start',
      { ...DESIGN, touch_paths: Array(201).fill('a') },
      'touch_paths: Too big: expected array to have <=200 items',
    ],
    [
      '101 replies',
      'design_feedback',
      {
        ...FEEDBACK,
        review_replies: Array.from({ length: 101 }, (_, i) => ({ review_comment_id: i + 1, body: 'x' })),
      },
      'review_replies: Too big: expected array to have <=100 items',
    ],
    [
      'two replies to one comment',
      'design_feedback',
      { ...FEEDBACK, review_replies: [...FEEDBACK.review_replies, ...FEEDBACK.review_replies] },
      'review_replies[1].review_comment_id: comment 5 is answered twice; write one reply',
    ],
    [
      'two answers to one finding',
      'review_fix',
      { ...FIX, findings: [...FIX.findings, ...FIX.findings] },
      'findings[1].id: finding 1 is answered twice; answer it once',
    ],
    [
      '51 findings',
      'review',
      { ...REVIEW, findings: Array(51).fill(FINDING) },
      'findings: Too big: expected array to have <=50 items',
    ],
    [
      'an unknown severity',
      'review',
      { ...REVIEW, findings: [{ ...FINDING, severity: 'nit' }] },
      'findings[0].severity: Invalid option: expected one of "critical"|"high"|"medium"|"low"',
    ],
    [
      'an id that is a string',
      'design_feedback',
      { ...FEEDBACK, review_replies: [{ review_comment_id: '5', body: 'x' }] },
      'review_replies[0].review_comment_id: Invalid input: expected number, received string',
    ],
    [
      'a `__proto__` key',
      'review',
      JSON.parse('{"__proto__":{"summary":"x","findings":[]}}'),
      'the output: Unrecognized key: "__proto__"',
    ],
  ])('rejects %s with an error that tells the agent how to fix it', (_name, kind, value, error) => {
    expect(errorsOf(kind, value)).toContain(error);
  });

  it.each(['/etc/passwd', '../x', 'a/../b', 'a/..', '..', '-rf', '~/x', 'a\\b', 'a\nb'])(
    'refuses the path %j',
    (path) => {
      expect(errorsOf('design_start', { ...DESIGN, touch_paths: [path] })).toEqual([
        'touch_paths[0] must be a path inside the repository: relative, with forward slashes, without ".."',
      ]);
    },
  );

  it.each(['src', '**/*.ts', '.github/workflows/ci.yml', 'a..b/c', '...', 'docs/ä b.md', 'x/-y'])(
    'accepts the path %j',
    (path) => {
      expect(errorsOf('design_start', { ...DESIGN, touch_paths: [path] })).toEqual([]);
    },
  );

  it('counts characters as JSON Schema does', () => {
    expect(errorsOf('bugfix_start', { ...CHANGE, pr_title: '😀'.repeat(256) })).toEqual([]);
    expect(errorsOf('bugfix_start', { ...CHANGE, pr_title: '😀'.repeat(257) })).toHaveLength(1);
  });

  it('never throws for any value, and keeps its errors few and short', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...QUESTION_KINDS),
        fc.oneof(fc.anything(), fc.jsonValue()),
        (kind, value) => {
          const errors = errorsOf(kind, value);
          expect(errors.length).toBeLessThanOrEqual(20);
          for (const error of errors) expect(error.length).toBeLessThanOrEqual(300);
        },
      ),
    );
  });

  it('never throws on an infinitely nested value', () => {
    const deep = JSON.parse(`${'{"findings":['.repeat(200_000)}1${']}'.repeat(200_000)}`);
    expect(errorsOf('review', deep).length).toBeGreaterThan(0);
  });

  it.each(['../', 'a/', '.', '\n', '\u001b', ' ', '\ud800'])(
    'takes linear time for repetitions of %j',
    (piece) => {
      const growth = measureGrowth(
        (size) => {
          const text = piece.repeat(size / piece.length);
          errorsOf('design_start', { ...DESIGN, touch_paths: Array(20).fill(text), title: text });
          errorsOf('bugfix_start', { ...CHANGE, commit_message: text, pr_summary: text });
        },
        { from: 6_000, to: 96_000 },
      );
      expect(growth).toBeLessThan(1.6);
    },
  );
});

describe('the agent contract', () => {
  it.each<[string, unknown, boolean]>([
    ['a session and an output', { session: { thread_id: 't' }, output: {} }, true],
    ['a session without a thread', { session: { thread_id: null }, output: {} }, true],
    [
      'usage without a price',
      { session: { thread_id: 't' }, output: {}, usage: { input_tokens: 1, output_tokens: 2 } },
      true,
    ],
    ['no session', { output: {} }, false],
    [
      'negative usage',
      { session: { thread_id: 't' }, output: {}, usage: { input_tokens: -1, output_tokens: 2 } },
      false,
    ],
    ['an unknown field', { session: { thread_id: 't' }, output: {}, push: true }, false],
  ])('given an answer with %s, reports whether it is valid', (_name, answer, valid) => {
    expect(AgentAnswer.safeParse(answer).success).toBe(valid);
  });

  it('rejects a request with another protocol version', () => {
    expect(AgentRequest.safeParse({ protocol: 2 }).error?.issues[0]).toMatchObject({ path: ['protocol'] });
  });
});

import {
  countFixesLeft,
  decideReview,
  type ReviewFix,
  type ReviewProgress,
  type ReviewRound,
} from './decide-review.js';
import type { FindingStatus } from './findings/finding.js';

const blocking = (fingerprint: string, category = 'edge_cases', status: FindingStatus = 'open') => ({
  fingerprint,
  category,
  status,
});
/** Builds round n, which reviews head n in cycle n - 1 and ends at time 10 n. */
const round = (id: number, ...findings: ReviewRound['blocking']): ReviewRound => ({
  id,
  headSha: `head-${id}`,
  cycle: id - 1,
  verdict: findings.length === 0 ? 'approved' : 'changes_requested',
  blocking: findings,
  hasFailed: false,
  completedAt: 10 * id,
});
const fix = (roundId: number, outcome: ReviewFix['outcome'] = 'pushed'): ReviewFix => ({
  roundId,
  outcome,
  endedAt: 10 * roundId + 5,
});
const state = (overrides: Partial<ReviewProgress> = {}): ReviewProgress => ({
  prNumber: 42,
  headSha: 'head-1',
  isEnabled: true,
  isWorkable: true,
  hasLiveTurn: false,
  hasPendingFeedback: false,
  humanReviewRequired: false,
  resumedAt: 0,
  skippedSha: null,
  clearedAt: 0,
  maxFixCycles: 2,
  rounds: [],
  fixes: [],
  ...overrides,
});
const rejected = round(1, blocking('a'));

describe('decideReview', () => {
  it('waits for the head of a fix, unless an operator has accepted the old head again', () => {
    const pushed = { rounds: [rejected], fixes: [fix(1)] };
    expect(decideReview(state(pushed))).toMatchObject({ kind: 'none' });
    expect(decideReview(state({ ...pushed, clearedAt: 20 }))).toMatchObject({ kind: 'fix', cycle: 1 });
  });

  it.each([
    ['has the AI review disabled', { isEnabled: false }, 'disabled'],
    ['is closed, blocked or taken over', { isWorkable: false }, 'closed, blocked or taken over'],
    ['has a head whose review an operator skipped', { skippedSha: 'head-1' }, 'skipped'],
    ['is waiting for a person', { humanReviewRequired: true }, 'resume'],
    ['has a turn in progress', { hasLiveTurn: true }, 'in progress'],
    ['has unanswered feedback from people', { hasPendingFeedback: true }, 'goes first'],
  ] as const)('does nothing while the pull request %s', (_what, overrides, words) => {
    for (const rounds of [[], [rejected], [round(1)]]) {
      expect(decideReview(state({ rounds, ...overrides }))).toEqual({
        kind: 'none',
        reason: expect.stringContaining(words),
      });
    }
  });

  it('reviews a head without a verdict exactly once', () => {
    const review = { kind: 'review', headSha: 'head-1', cycle: 0 };
    expect(decideReview(state())).toEqual(review);
    expect(decideReview(state({ rounds: [{ ...rejected, verdict: null }] }))).toEqual(review);
    expect(decideReview(state({ rounds: [round(1)] }))).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('approved'),
    });
  });

  it('escalates if the review failed, and tries again when a person resumes', () => {
    const failed = { ...rejected, verdict: null, hasFailed: true };
    expect(decideReview(state({ rounds: [failed] }))).toEqual({
      kind: 'escalate',
      escalation: 'review_failed',
      text: 'PR #42 could not be reviewed — requires human review',
    });
    expect(decideReview(state({ rounds: [failed], headSha: 'head-2' }))).toMatchObject({ kind: 'review' });
    expect(decideReview(state({ rounds: [failed], resumedAt: 11 }))).toMatchObject({ kind: 'review' });
  });

  it('starts one fix after a rejection, then waits for the new head and reviews it', () => {
    expect(decideReview(state({ rounds: [rejected] }))).toEqual({ kind: 'fix', roundId: 1, cycle: 0 });
    const fixed = { rounds: [rejected], fixes: [fix(1)] };
    expect(decideReview(state(fixed))).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('does not show the new head commit yet'),
    });
    expect(decideReview(state({ ...fixed, headSha: 'head-2' }))).toEqual({
      kind: 'review',
      headSha: 'head-2',
      cycle: 1,
    });
  });

  it("reviews a person's push without using a cycle", () => {
    const pushed = state({ headSha: 'head-9', rounds: [rejected], fixes: [fix(1, 'superseded')] });
    expect(decideReview(pushed)).toEqual({ kind: 'review', headSha: 'head-9', cycle: 0 });
  });

  it('approves once people have dismissed every blocking finding, even after an escalation', () => {
    const dismissed = round(1, blocking('a', 'tests', 'dismissed'), blocking('b', 'tests', 'dismissed'));
    const lift = { kind: 'lift', roundId: dismissed.id, headSha: dismissed.headSha };
    expect(decideReview(state({ rounds: [dismissed] }))).toEqual(lift);
    expect(decideReview(state({ rounds: [dismissed], humanReviewRequired: true }))).toEqual(lift);
    expect(decideReview(state({ rounds: [dismissed], hasLiveTurn: true }))).toMatchObject({ kind: 'none' });
    const half = round(1, blocking('a', 'tests', 'dismissed'), blocking('b', 'tests'));
    expect(decideReview(state({ rounds: [half] }))).toMatchObject({ kind: 'fix' });
    const some = round(1, blocking('a', 'tests', 'dismissed'), blocking('b', 'tests', 'disputed'));
    expect(decideReview(state({ rounds: [some] })).kind).toBe('fix');
  });

  it('escalates after the last cycle', () => {
    const rounds = [rejected, round(2, blocking('b', 'tests')), round(3, blocking('c', 'security'))];
    const last = state({ headSha: 'head-3', rounds, fixes: [fix(1), fix(2)] });
    expect(decideReview(last)).toEqual({
      kind: 'escalate',
      escalation: 'max_fix_cycles_exceeded',
      text: 'PR #42 exceeded max fix cycles (2) — requires human review',
    });
    expect(decideReview({ ...last, maxFixCycles: 3 })).toEqual({ kind: 'fix', roundId: 3, cycle: 2 });
    expect(decideReview(state({ rounds: [rejected], maxFixCycles: 0 }))).toMatchObject({
      escalation: 'max_fix_cycles_exceeded',
    });
  });

  it('escalates if a fix fails, and does not retry it', () => {
    expect(decideReview(state({ rounds: [rejected], fixes: [fix(1, 'failed')] }))).toEqual({
      kind: 'escalate',
      escalation: 'fix_failed',
      text: 'PR #42 has findings that the agent could not fix — requires human review',
    });
  });

  it('continues after a person pushes the fix that the agent could not make', () => {
    const rounds = [rejected, round(2, blocking('b'))];
    const pushed = state({ headSha: 'head-2', rounds, fixes: [fix(1, 'failed')] });
    expect(decideReview(pushed)).toEqual({ kind: 'fix', roundId: 2, cycle: 1 });
  });

  it.each([
    ['every earlier finding still blocks', [blocking('a'), blocking('b')], 'no_progress'],
    [
      'every earlier finding and a new finding block',
      [blocking('a'), blocking('b'), blocking('c')],
      'no_progress',
    ],
    ['one finding is fixed', [blocking('b')], undefined],
    ['only new findings block', [blocking('c'), blocking('d')], undefined],
  ])('after a fix, decides what to do if %s', (_what, found, escalation) => {
    const rounds = [round(1, blocking('a'), blocking('b')), round(2, ...found)];
    const decision = decideReview(state({ headSha: 'head-2', rounds, fixes: [fix(1)] }));
    expect(decision).toMatchObject(escalation === undefined ? { kind: 'fix', cycle: 1 } : { escalation });
  });

  it('judges progress only across a fix, and ignores dismissed findings', () => {
    const again = { ...round(2, blocking('a')), cycle: 0 };
    expect(decideReview(state({ headSha: 'head-2', rounds: [rejected, again] })).kind).toBe('fix');
    const rounds = [round(1, blocking('a', 'tests', 'dismissed')), round(2, blocking('b'))];
    expect(decideReview(state({ headSha: 'head-2', rounds, fixes: [fix(1)] })).kind).toBe('fix');
  });

  it.each([
    ['each round has a new finding in the same category', 'tests', 'tests', 'c', 'repeated_category'],
    ['the previous round had another category', 'tests', 'security', 'c', undefined],
    ['only an old finding still blocks', 'tests', 'tests', 'a', undefined],
  ])('with fix cycles left, decides what to do if %s', (_what, first, second, third, escalation) => {
    const rounds = [
      round(1, blocking('a', first)),
      round(2, blocking('b', second)),
      round(3, blocking(third, 'tests')),
    ];
    const decision = decideReview(
      state({ headSha: 'head-3', rounds, fixes: [fix(1), fix(2)], maxFixCycles: 5 }),
    );
    expect(decision).toMatchObject(escalation === undefined ? { kind: 'fix', cycle: 2 } : { escalation });
  });

  it('continues with new fix cycles when a person resumes', () => {
    const rounds = [rejected, round(2, blocking('b', 'tests')), round(3, blocking('c', 'security'))];
    const used = state({ headSha: 'head-3', rounds, fixes: [fix(1), fix(2)], resumedAt: 31 });
    expect(decideReview(used)).toEqual({ kind: 'fix', roundId: 3, cycle: 2 });
    const stuck = state({ headSha: 'head-2', rounds: [rejected, round(2, blocking('a'))], fixes: [fix(1)] });
    expect(decideReview(stuck)).toMatchObject({ escalation: 'no_progress' });
    expect(decideReview({ ...stuck, resumedAt: 21 })).toEqual({ kind: 'fix', roundId: 2, cycle: 1 });
    const failed = state({ rounds: [rejected], fixes: [fix(1, 'failed')], resumedAt: 16 });
    expect(decideReview(failed)).toEqual({ kind: 'fix', roundId: 1, cycle: 1 });
  });

  it.each([
    [2, [], 0, 2],
    [2, [fix(1), fix(2, 'failed')], 0, 0],
    [2, [fix(1), fix(2, 'superseded')], 0, 1],
    [2, [fix(1), fix(2)], 20, 1],
    [0, [fix(1)], 0, 0],
  ])(
    'with at most %d fixes, after the fixes %j and a resume at %d, leaves %d',
    (maxFixCycles, fixes, resumedAt, left) => {
      expect(countFixesLeft({ maxFixCycles, fixes, resumedAt })).toBe(left);
    },
  );

  it('makes the same decision every time', () => {
    for (const asked of [
      state(),
      state({ rounds: [rejected] }),
      state({ rounds: [rejected], maxFixCycles: 0 }),
    ]) {
      const answers = Array.from({ length: 20 }, () => JSON.stringify(decideReview(asked)));
      expect(new Set(answers).size).toBe(1);
    }
  });
});

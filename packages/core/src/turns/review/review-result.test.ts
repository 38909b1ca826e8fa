import fc from 'fast-check';
import { planActions } from '../../actions/action.js';
import { decideRound, matchRound } from '../../review/decide-round.js';
import { aFinding, anEarlierFinding } from '../../review/testing/a-finding.js';
import { openTurn } from '../open-turn.js';
import { type Plan, PlanParcel, type PlanResult } from '../plan.js';
import { buildReviewResult, ReviewResult, readPlacement } from './review-result.js';

const SHA = 'a'.repeat(40);
const LINES = new Map([['src/upload.ts', new Map([[14, 'const tries = 4;']])]]);
const ANSWERS = [{ id: 9, status: 'fixed', line: null, evidence: 'src/old.ts:3 returns early.' } as const];
const judge = (findings = [aFinding()], maxFindings = 20, round = 2) =>
  decideRound(
    matchRound({
      round,
      findings,
      answers: ANSWERS,
      earlier: [anEarlierFinding({ id: 9, fingerprint: 'f9', path: 'src/old.ts', body: 'Something else.' })],
      lines: LINES,
      policy: { blockingSeverity: 'high', maxFindings, verify: false },
    }),
  );
const build = (...about: Parameters<typeof judge>) =>
  buildReviewResult({ headSha: SHA, summary: 'Read.', answers: ANSWERS }, judge(...about));

describe('the result of a review', () => {
  it('passes every finding to the poster with its place', () => {
    const texts = ['one', 'two', 'three', 'four', 'five', 'six'].map((word) => `Number ${word} is wrong.`);
    const findings = fc.uniqueArray(
      fc.record({
        body: fc.constantFrom(...texts),
        line: fc.constantFrom(null, 14, 99),
        severity: fc.constantFrom('critical', 'high', 'medium', 'low'),
      }),
      { maxLength: 6, selector: ({ body }) => body },
    );
    fc.assert(
      fc.property(findings, fc.integer({ min: 0, max: 6 }), (some, max) => {
        const judgement = judge(some.map(aFinding), max);
        const result = buildReviewResult({ headSha: SHA, summary: 'Read.', answers: ANSWERS }, judgement);
        const carried = ReviewResult.parse(JSON.parse(JSON.stringify(result)));
        expect(readPlacement(carried)).toEqual(judgement.placement);
        expect(carried.raised).toEqual(judgement.raised);
      }),
    );
  });

  it('lists fixed findings by id, with the evidence', () => {
    const { gone, answers } = build();
    expect(gone).toEqual([9]);
    expect(answers).toEqual([{ id: 9, status: 'fixed', evidence: 'src/old.ts:3 returns early.' }]);
  });

  it('can be read if an earlier version stored it', () => {
    const { notes: _notes, refuted: _refuted, answers: _answers, raised, ...rest } = build();
    const stored = {
      ...rest,
      raised: raised.map(({ startLine: _line, verified: _verified, ...old }) => old),
    };
    expect(ReviewResult.parse(stored)).toEqual({ ...build(), answers: [] });
  });

  const good = build();
  it.each<[string, Partial<ReviewResult>]>([
    ['is shown nowhere', { placement: { ...good.placement, inline: [] } }],
    ['is shown twice', { placement: { ...good.placement, nits: good.placement.inline } }],
    ['is not raised', { placement: { ...good.placement, nits: ['f77'] } }],
    ['is raised twice', { raised: [...good.raised, ...good.raised] }],
  ])('is rejected if a finding %s', (_name, wrong) => {
    expect(ReviewResult.safeParse(good).success).toBe(true);
    expect(ReviewResult.safeParse({ ...good, ...wrong }).success).toBe(false);
  });

  it('never places a finding without a line inline, whatever the worker sends', () => {
    const { raised, placement } = build([aFinding({ line: null, severity: 'medium' })], 20, 1);
    const forged = { ...placement, inline: placement.demoted, demoted: [] };
    expect(readPlacement({ raised, placement: forged })).toMatchObject({
      inline: [],
      demoted: [{ line: null }],
    });
  });
});

describe('the plan', () => {
  const commit = { branch: 'agent/bugfix/7-x', startSha: SHA, sha: 'b'.repeat(40) };
  const plan = (result: PlanResult, isCommitted: boolean): Plan => ({
    version: 1,
    session: null,
    commit: isCommitted ? commit : null,
    result,
    stateSummary: '',
    usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
  });
  const review = build();
  const fix = (failure: { cause: 'no_changes'; reason: string } | null): PlanResult => ({
    kind: 'fix',
    answers: [{ id: 1, resolution: 'fixed', note: 'Done.', touchesFile: true }],
    summary: 'Done.',
    failure,
  });
  const failed = fix({ cause: 'no_changes', reason: 'The agent changed no file.' });

  it.each<[string, PlanResult, boolean, boolean]>([
    ['a review without commits', review, false, true],
    ['a review with commits', review, true, false],
    ['a fix with commits', fix(null), true, true],
    ['a fix without commits that did not fail', fix(null), false, false],
    ['a fix that failed', failed, false, true],
    ['a fix that failed and has commits', failed, true, false],
  ])('of %s is checked (case %#)', (_name, result, isCommitted, isValid) => {
    const parcel = { plan: plan(result, isCommitted), bundle: isCommitted ? 'YQ==' : null };
    expect(PlanParcel.safeParse(parcel).success).toBe(isValid);
  });

  const turn = openTurn({
    turnKey: 'c'.repeat(64),
    repoId: 1,
    runId: 2,
    issueNumber: 7,
    prNumber: 3,
    kind: 'review',
    openedAt: 0,
  });

  it('of a review posts one review and one status, and the plan of a fix posts nothing by itself', () => {
    const about = { target: `head:${SHA}`, thread: 3, turnKey: turn.turnKey, payload: null };
    expect(planActions(turn, plan(review, false))).toMatchObject([
      { ...about, kind: 'post_review', position: 0 },
      { ...about, kind: 'review_status', position: 1 },
    ]);
    expect(planActions(turn, plan(fix(null), true))).toEqual([]);
  });
});

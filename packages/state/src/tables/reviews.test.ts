import { join } from 'node:path';
import {
  computeVerdict,
  decideReview,
  decideRound,
  matchRound,
  type RaisedFinding,
} from '@mergexo/core/review';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { openState, type State } from '../create-state.js';
import type { StoredFix, StoredRound } from './reviews.js';

const PULL = { repoId: 1, prNumber: 5 };
const HEADS = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(40));
const [HEAD = '', NEXT = ''] = HEADS;

function aFinding(overrides: Partial<RaisedFinding> = {}): RaisedFinding {
  return {
    path: 'src/a.ts',
    startLine: null,
    line: 3,
    severity: 'high',
    category: 'tests',
    body: 'No test covers this.',
    suggestion: null,
    fingerprint: 'f1',
    origin: 'new',
    earlierId: null,
    status: 'open',
    verified: null,
    ...overrides,
  };
}

describe('reviews', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  function aTurnKey(): string {
    const turn = aTurn({ ...PULL, state: 'done' });
    state.recordTurn(turn, null);
    return turn.turnKey;
  }

  const open = (headSha: string, fixCycle = 0, now = 1): StoredRound =>
    state.recordReviewRound({ ...PULL, headSha, fixCycle, turnKey: aTurnKey() }, now);

  const complete = ({ id }: StoredRound, raised: RaisedFinding[], { gone = [0], now = 2 } = {}): boolean =>
    state.completeReviewRound(
      id,
      { result: { summary: 'Read.', raised, gone }, verdict: computeVerdict(raised, 'high'), remoteId: 77 },
      now,
    );

  const review = (headSha: string, raised: RaisedFinding[], fixCycle = 0, now = 2): StoredRound => {
    const round = open(headSha, fixCycle, now);
    complete(round, raised, { now });
    return round;
  };

  const endFix = (fix: Partial<StoredFix> & { roundId: number }, now = 3): boolean =>
    state.recordReviewFix(
      { ...PULL, fixCycle: 0, turnKey: aTurnKey(), outcome: 'pushed', reason: null, sha: NEXT, ...fix },
      now,
    );

  const findings = () => state.listReviewFindings(1, 5);
  const decide = (headSha: string, resumedAt = 0) =>
    decideReview({
      ...state.readReviewProgress({
        ...PULL,
        headSha,
        humanReviewRequired: false,
        resumedAt,
        reviewSkippedSha: null,
      }),
      isEnabled: true,
      isWorkable: true,
      hasLiveTurn: false,
      hasPendingFeedback: false,
      clearedAt: 0,
      maxFixCycles: 2,
    });

  describe('a round', () => {
    it('exists once per head, however often it starts, and is found by its latest turn', () => {
      const first = open(HEAD);
      state.markReviewRoundEnded(first.id, 'outdated', 2);
      const again = open(HEAD, 1);
      expect(again).toMatchObject({ id: first.id, number: 1, fixCycle: 1, state: 'open', completedAt: null });
      expect(state.listReviewRounds(1, 5)).toEqual([again]);
      expect(state.readReviewRoundOfTurn(again.turnKey ?? '')).toEqual(again);
      expect(state.readReviewRound(first.id)).toEqual(again);
    });

    it('keeps its verdict', () => {
      const round = review(HEAD, [aFinding()]);
      const told = state.readReviewRound(round.id);
      expect(told).toMatchObject({
        state: 'posted',
        verdict: 'changes_requested',
        summary: 'Read.',
        blocking: [{ fingerprint: 'f1', category: 'tests' }],
        remoteId: 77,
        completedAt: 2,
      });
      expect(complete(round, [], { now: 9 })).toBe(false);
      state.markReviewRoundEnded(round.id, 'outdated', 9);
      expect(open(HEAD, 3, 9)).toEqual(told);
      expect(findings()).toMatchObject([{ status: 'open' }]);
    });

    it('can fail, and then restarts like any other round without a verdict', () => {
      const first = open(HEAD);
      state.markReviewRoundEnded(first.id, 'failed', 2);
      state.markReviewRoundEnded(first.id, 'outdated', 3);
      expect(decide(HEAD)).toMatchObject({ kind: 'escalate', escalation: 'review_failed' });
      expect(decide(HEAD, 2)).toMatchObject({ kind: 'review' });
      open(HEAD, 0, 4);
      expect(decide(HEAD)).toMatchObject({ kind: 'review' });
    });

    it('is numbered after the last round with a verdict', () => {
      const dropped = open(HEAD);
      state.markReviewRoundEnded(dropped.id, 'outdated', 2);
      const second = review(NEXT, []);
      const third = open(HEADS[2] ?? '');
      expect([dropped, second, third].map(({ number }) => number)).toEqual([1, 1, 2]);
    });

    it('belongs to one pull request', () => {
      review(HEAD, [aFinding()]);
      const other = { repoId: 1, prNumber: 6, headSha: HEAD, fixCycle: 0, turnKey: aTurnKey() };
      expect(state.recordReviewRound(other, 3)).toMatchObject({ number: 1, verdict: null });
      expect(state.listReviewFindings(1, 6)).toEqual([]);
    });
  });

  describe('a finding', () => {
    it('has one row for all rounds, with its first and last round', () => {
      const first = review(HEAD, [aFinding(), aFinding({ fingerprint: 'f2', line: null, suggestion: 'x' })]);
      const second = review(NEXT, [aFinding({ origin: 'known', line: 9, body: 'Still none.' })], 1);
      expect(findings()).toMatchObject([
        { roundId: first.id, lastRoundId: second.id, line: 9, body: 'Still none.', status: 'open' },
        { roundId: first.id, lastRoundId: first.id, line: null, suggestion: 'x', status: 'open' },
      ]);
      expect(state.listEarlierFindings(1, 5)).toMatchObject([
        { id: findings()[0]?.id, fingerprint: 'f1', severity: 'high', note: null, lastRound: 2 },
        { fingerprint: 'f2', lastRound: 1 },
      ]);
    });

    it('counts as fixed once the reviewer no longer reports it, and is reopened if the reviewer reports it again', () => {
      review(HEAD, [aFinding()]);
      const [id = 0] = findings().map((finding) => finding.id);
      state.saveFindingRemoteId(id, 4_711, 2);
      complete(open(NEXT, 1), [], { gone: [id] });
      expect(findings()).toMatchObject([{ status: 'fixed', remoteId: 4_711 }]);
      review(HEADS[2] ?? '', [aFinding({ origin: 'regressed', earlierId: id })], 2);
      // The reopened finding is no longer linked to its old thread.
      expect(findings()).toMatchObject([{ id, status: 'open', remoteId: null }]);
    });

    it("accepts the agent's answer only for its own pull request", () => {
      review(HEAD, [aFinding()]);
      const [id = 0] = findings().map((finding) => finding.id);
      state.answerFinding({ repoId: 1, prNumber: 6, id, status: 'fixed', note: 'Not mine.' }, 3);
      expect(findings()).toMatchObject([{ status: 'open', note: null }]);
      state.answerFinding({ ...PULL, id, status: 'wontfix', note: 'On purpose.' }, 3);
      expect(state.listEarlierFindings(1, 5)).toMatchObject([{ status: 'wontfix', note: 'On purpose.' }]);
    });

    it('stays dismissed, even if an agent answers it, raises it again or reports it as gone', () => {
      review(HEAD, [aFinding()]);
      const [id = 0] = findings().map((finding) => finding.id);
      state.markFindingDismissed(id, 3);
      state.answerFinding({ ...PULL, id, status: 'fixed', note: 'Done.' }, 4);
      review(NEXT, [aFinding({ origin: 'known' })], 1);
      complete(open(HEADS[2] ?? '', 1), [], { gone: [id] });
      expect(findings()).toMatchObject([{ status: 'dismissed', note: null }]);
    });

    it('is found by its GitHub comment', () => {
      review(HEAD, [aFinding(), aFinding({ fingerprint: 'f2' })]);
      const [, second] = findings();
      state.saveFindingRemoteId(second?.id ?? 0, 4_711, 3);
      expect(state.readFindingByRemoteId(1, 4_711)).toMatchObject({ fingerprint: 'f2' });
      expect(state.readFindingByRemoteId(1, 4_712)).toBeUndefined();
    });

    it('contains no credential', () => {
      const token = `ghp_${'x7'.repeat(18)}`;
      review(HEAD, [aFinding({ body: `Logs ${token}.`, suggestion: `log(${token})` })]);
      const [id = 0] = findings().map((finding) => finding.id);
      state.answerFinding({ ...PULL, id, status: 'fixed', note: `Removed ${token}.` }, 3);
      expect(JSON.stringify(findings())).not.toContain(token);
      expect(findings()).toMatchObject([{ body: 'Logs [redacted].', note: 'Removed [redacted].' }]);
    });
  });

  describe('a fix', () => {
    it('is recorded once per turn and once per cycle, unless it is superseded', () => {
      const { id: roundId } = review(HEAD, [aFinding()]);
      const turnKey = aTurnKey();
      expect(endFix({ roundId, turnKey, outcome: 'superseded', sha: null })).toBe(true);
      expect(endFix({ roundId, turnKey, outcome: 'pushed' })).toBe(false);
      expect(endFix({ roundId, outcome: 'superseded', sha: null })).toBe(true);
      expect(endFix({ roundId, outcome: 'failed', reason: 'No file differs.', sha: null })).toBe(true);
      expect(endFix({ roundId, outcome: 'pushed' })).toBe(false);
      expect(endFix({ roundId, outcome: 'pushed', fixCycle: 1 }, 8)).toBe(true);
      const outcomes = state.listReviewFixes(1, 5).map(({ outcome, endedAt }) => [outcome, endedAt]);
      expect(outcomes).toEqual([
        ['superseded', 3],
        ['superseded', 3],
        ['failed', 3],
        ['pushed', 8],
      ]);
    });
  });

  describe('the next step', () => {
    it('is decided from the stored rows: review, fix, review, fix, review, escalation', () => {
      const [h1 = '', h2 = '', h3 = ''] = HEADS;
      expect(decide(h1)).toEqual({ kind: 'review', headSha: h1, cycle: 0 });
      open(h1);
      expect(decide(h1)).toEqual({ kind: 'review', headSha: h1, cycle: 0 });
      const first = review(h1, [aFinding({ fingerprint: 'f1', category: 'tests' })]);
      expect(decide(h1)).toEqual({ kind: 'fix', roundId: first.id, cycle: 0 });
      endFix({ roundId: first.id, sha: h2 });
      expect(decide(h1)).toMatchObject({ kind: 'none', reason: expect.stringContaining('pushed') });
      expect(decide(h2)).toEqual({ kind: 'review', headSha: h2, cycle: 1 });
      const second = review(h2, [aFinding({ fingerprint: 'f2', category: 'security' })], 1, 4);
      expect(decide(h2)).toEqual({ kind: 'fix', roundId: second.id, cycle: 1 });
      endFix({ roundId: second.id, fixCycle: 1, sha: h3 }, 5);
      const third = review(h3, [aFinding({ fingerprint: 'f3', category: 'quality' })], 2, 6);
      expect(decide(h3)).toMatchObject({ kind: 'escalate', escalation: 'max_fix_cycles_exceeded' });
      expect(decide(h3, 7)).toEqual({ kind: 'fix', roundId: third.id, cycle: 2 });
    });

    it('is approval once a person has dismissed every blocking finding', () => {
      review(HEAD, [aFinding()]);
      state.markFindingDismissed(findings()[0]?.id ?? 0, 3);
      const decision = decide(HEAD);
      if (decision.kind !== 'lift') throw new Error(`unexpected decision: ${decision.kind}`);
      expect(state.approveReviewRound(decision.roundId)).toBe(true);
      expect(state.approveReviewRound(decision.roundId)).toBe(false);
      expect(decide(HEAD)).toMatchObject({ kind: 'none', reason: expect.stringContaining('approved') });
    });

    it('is escalation if a fix did not remove the findings', () => {
      const { id: roundId } = review(HEAD, [aFinding()]);
      endFix({ roundId });
      const { raised } = decideRound(
        matchRound({
          round: 2,
          findings: [],
          answers: [{ id: 1, status: 'holds', line: 30, evidence: 'src/a.ts:30' }],
          earlier: state.listEarlierFindings(1, 5),
          lines: new Map(),
          policy: { blockingSeverity: 'high', maxFindings: 20, verify: false },
        }),
      );
      expect(raised).toMatchObject([{ fingerprint: 'f1', origin: 'known', line: 30 }]);
      review(NEXT, [...raised], 1, 4);
      expect(decide(NEXT)).toMatchObject({ kind: 'escalate', escalation: 'no_progress' });
    });
  });
});

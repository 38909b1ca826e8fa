import fc from 'fast-check';
import { SEVERITIES } from '../turns/review/review-output.js';
import { decideRound, matchRound, type ReviewedRound } from './decide-round.js';
import type { Checks } from './findings/choose-findings.js';
import { FINDING_STATUSES, type FindingStatus, isBlocking } from './findings/finding.js';
import { aFinding, anEarlierFinding } from './testing/a-finding.js';

const policy = { blockingSeverity: 'high', maxFindings: 10, verify: true } as const;
const lines = new Map([['src/upload.ts', new Map([[14, '}']])]]);
const match = (overrides: Partial<ReviewedRound>) =>
  matchRound({ round: 1, findings: [aFinding()], answers: [], earlier: [], lines, policy, ...overrides });
const judge = (overrides: Partial<ReviewedRound>, checks?: Checks) => decideRound(match(overrides), checks);
/** Judges the round after the second agent gave the same answer about every suspect. */
const judgeChecked = (overrides: Partial<ReviewedRound>, status: 'confirmed' | 'refuted') => {
  const matched = match(overrides);
  const checks = matched.suspects.map(
    ({ fingerprint }) => [fingerprint, { status, evidence: 'src/upload.ts:14 stops it.' }] as const,
  );
  return decideRound(matched, new Map(checks));
};
const before = (status: FindingStatus, lastRound = 1) => [anEarlierFinding({ id: 7, status, lastRound })];
const answer = (status: 'holds' | 'fixed', line: number | null = null) => [
  { id: 7, status, line, evidence: 'src/upload.ts:14' },
];

describe('decideRound', () => {
  it('raises new findings, and requests changes if one blocks', () => {
    expect(judge({})).toMatchObject({
      verdict: { kind: 'changes_requested', blocking: [{ origin: 'new', earlierId: null, status: 'open' }] },
      raised: [{ line: 14 }],
      dropped: [],
      gone: [],
      placement: { inline: [{ line: 14 }] },
    });
  });

  it.each([
    ['a nit', 'low', 1, undefined],
    ['a nit', 'low', 2, 'it was first raised after round 1 and does not block'],
    ['a medium finding', 'medium', 3, 'it was first raised after round 1 and does not block'],
    ['a blocking finding', 'high', 3, undefined],
  ] as const)(
    'for %s (%s) that is new in round %d, returns the drop reason %j',
    (_what, severity, round, reason) => {
      const { raised, dropped } = judge({ findings: [aFinding({ severity })], round });
      expect(dropped.map((drop) => drop.reason)).toEqual(reason === undefined ? [] : [reason]);
      expect(raised).toHaveLength(reason === undefined ? 1 : 0);
    },
  );

  it.each([
    ['dismissed', 'critical', 'a person dismissed it'],
    ['dismissed', 'low', 'a person dismissed it'],
    ['wontfix', 'low', 'the agent declined it, and it does not block'],
    ['disputed', 'medium', 'the agent declined it, and it does not block'],
    ['wontfix', 'high', undefined],
    ['disputed', 'critical', undefined],
    ['fixed', 'low', undefined],
    ['open', 'low', undefined],
  ] as const)(
    'for a %s finding that is raised again with severity %s, returns the drop reason %j',
    (status, severity, reason) => {
      const { dropped, verdict, raised } = judge({
        findings: [aFinding({ severity })],
        earlier: before(status),
        round: 2,
      });
      expect(dropped.map((drop) => drop.reason)).toEqual(reason === undefined ? [] : [reason]);
      expect(raised.map(({ earlierId, fingerprint }) => [earlierId, fingerprint])).toEqual(
        reason === undefined ? [[7, 'f1']] : [],
      );
      expect(verdict.kind).toBe(
        raised.some((finding) => isBlocking(finding, 'high')) ? 'changes_requested' : 'approved',
      );
    },
  );

  it('finds the lines of a path, and keeps at most 50 findings without losing one that blocks', () => {
    const minor = Array.from({ length: 50 }, (_, index) =>
      aFinding({
        path: `src/${index}.ts`,
        severity: 'low',
        body: `Number ${'x'.repeat(index + 3)} is wrong.`,
      }),
    );
    const { raised, dropped, verdict } = judge({ findings: [...minor, aFinding()] });
    expect(raised).toHaveLength(50);
    expect(raised[0]).toMatchObject({ severity: 'high' });
    expect(verdict.kind).toBe('changes_requested');
    expect(dropped).toMatchObject([{ reason: 'the review already has 50 findings' }]);
  });

  it('accounts for every finding, and drops no blocking one unless a person dismissed it', () => {
    const finding = fc.record({
      line: fc.constantFrom(null, 1, 14),
      severity: fc.constantFrom(...SEVERITIES),
      introduced: fc.boolean(),
      body: fc.constantFrom('The fourth try is never stopped.', 'No test covers this.', 'Names are unclear.'),
      category: fc.constantFrom('edge_cases', 'tests'),
    });
    fc.assert(
      fc.property(
        fc.array(finding.map(aFinding), { maxLength: 15 }),
        fc.constantFrom(...FINDING_STATUSES),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom('confirmed', 'refuted', undefined),
        (findings, status, round, maxFindings, check) => {
          const about = { findings, earlier: before(status), round, policy: { ...policy, maxFindings } };
          const { raised, notes, refuted, dropped, placement, verdict } =
            check === undefined ? judge(about) : judgeChecked(about, check);
          const isHeld = raised.length + notes.length + refuted.length + dropped.length - findings.length;
          // The earlier finding is held if it is from the previous round and the reviewer did not repeat it.
          expect([0, round === 2 && status !== 'dismissed' ? 1 : 0]).toContain(isHeld);
          expect(Object.values(placement).flat()).toHaveLength(raised.length);
          for (const drop of dropped) {
            if (isBlocking(drop.finding, 'high'))
              expect(drop.reason).toMatch(/a person dismissed it|reported it twice/);
          }
          const blocking = raised.filter((one) => isBlocking(one, 'high'));
          expect(verdict.kind === 'changes_requested' ? verdict.blocking : []).toEqual(blocking);
        },
      ),
    );
  });
});

describe('a finding of the previous round', () => {
  const again = { findings: [], round: 2 };

  it.each(['open', 'fixed', 'wontfix', 'disputed'] as const)(
    'still blocks if its status is %s and the reviewer forgets it',
    (status) => {
      const { verdict, gone, raised } = judge({ ...again, earlier: before(status) });
      expect(verdict.kind).toBe('changes_requested');
      expect(raised).toMatchObject([{ earlierId: 7, body: aFinding().body }]);
      expect(gone).toEqual([]);
    },
  );

  it.each(['open', 'fixed', 'wontfix', 'disputed'] as const)(
    'no longer blocks if its status is %s and the reviewer says that it is fixed',
    (status) => {
      const { verdict, gone } = judge({ ...again, earlier: before(status), answers: answer('fixed') });
      expect([verdict.kind, gone]).toEqual(['approved', [7]]);
    },
  );

  it('still blocks if the reviewer says that it is fixed but reports it again', () => {
    const { verdict, gone } = judge({ round: 2, earlier: before('open'), answers: answer('fixed') });
    expect([verdict.kind, gone]).toEqual(['changes_requested', []]);
  });

  it('still blocks if its line left the diff or the reviewer calls it older than the change', () => {
    const outside = { ...again, earlier: [anEarlierFinding({ id: 7, line: 99 })] };
    expect(judge({ ...outside, answers: answer('holds') }).verdict.kind).toBe('changes_requested');
    const older = { round: 2, earlier: before('open'), findings: [aFinding({ introduced: false })] };
    expect(judge(older).verdict.kind).toBe('changes_requested');
  });

  it('moves to the line that the reviewer names, without a suggestion for the old lines', () => {
    const earlier = [anEarlierFinding({ id: 7, line: 3, startLine: 2, suggestion: 'x' })];
    const { raised } = judge({ ...again, earlier, answers: answer('holds', 14) });
    expect(raised).toMatchObject([{ line: 14, startLine: null, suggestion: null }]);
  });

  it('is no longer checked once a round did not raise it or a person dismissed it', () => {
    expect(judge({ ...again, round: 3, earlier: before('fixed') }).verdict.kind).toBe('approved');
    expect(judge({ ...again, earlier: before('dismissed') }).raised).toEqual([]);
  });

  it('no longer counts if the second agent refutes it', () => {
    const { verdict, gone, refuted } = judgeChecked({ ...again, earlier: before('open') }, 'refuted');
    expect([verdict.kind, gone]).toEqual(['approved', [7]]);
    expect(refuted).toMatchObject([{ reason: 'src/upload.ts:14 stops it.' }]);
  });
});

describe('a finding that would block', () => {
  it.each([
    ['on the diff', {}, 'confirmed', 'raised'],
    ['on the diff', {}, 'refuted', 'refuted'],
    ['on the diff', {}, undefined, 'raised'],
    ['outside the diff', { line: 99 }, 'confirmed', 'raised'],
    ['outside the diff', { line: 99 }, 'refuted', 'refuted'],
    ['outside the diff', { line: 99 }, undefined, 'notes'],
    ['about a whole file', { line: null }, undefined, 'notes'],
    ['in another file', { path: 'src/other.ts' }, undefined, 'notes'],
    ['that the change did not introduce', { introduced: false }, 'confirmed', 'notes'],
    ['that the change did not introduce', { introduced: false }, undefined, 'notes'],
  ] as const)('%s (%j), if the second agent answers %j, is %s', (_name, overrides, check, list) => {
    const about = { findings: [aFinding(overrides)] };
    const judged = check === undefined ? judge(about) : judgeChecked(about, check);
    const { raised, notes, refuted } = judged;
    expect([raised.length, notes.length, refuted.length]).toEqual(
      ['raised', 'notes', 'refuted'].map((name) => (name === list ? 1 : 0)),
    );
    expect(judged.verdict.kind).toBe(list === 'raised' ? 'changes_requested' : 'approved');
  });

  it('is recorded as verified, as not verified, or as not checked', () => {
    const verified = (judged: ReturnType<typeof judge>) => judged.raised.map((finding) => finding.verified);
    expect(verified(judgeChecked({}, 'confirmed'))).toEqual([true]);
    expect(verified(judge({}))).toEqual([false]);
    expect(verified(judge({ policy: { ...policy, verify: false } }))).toEqual([null]);
    expect(verified(judge({ findings: [aFinding({ severity: 'low' })] }))).toEqual([null]);
  });

  it('is the only kind that the second agent must check', () => {
    const findings = [
      aFinding(),
      aFinding({ line: 99, category: 'security', body: 'Far away.' }),
      aFinding({ severity: 'medium', category: 'quality', body: 'Minor.' }),
      aFinding({ introduced: false, category: 'tests', body: 'Old.' }),
    ];
    expect(match({ findings }).suspects.map(({ finding }) => finding.body)).toEqual([
      aFinding().body,
      'Far away.',
    ]);
    expect(match({ round: 2, earlier: before('dismissed') }).suspects).toEqual([]);
  });
});

describe('a suggestion for several lines', () => {
  const patch = new Map([10, 11, 12, 30].map((line) => [line, `line ${line}`]));
  const place = (startLine: number | null, line: number) =>
    judge({
      findings: [aFinding({ startLine, line, suggestion: '  a;\n  b;' })],
      lines: new Map([['src/upload.ts', patch]]),
    }).raised[0];

  it('keeps its range and its code if all lines are in one hunk', () => {
    expect(place(10, 12)).toMatchObject({ startLine: 10, line: 12, suggestion: '  a;\n  b;' });
    expect(place(null, 12)).toMatchObject({ startLine: null, line: 12, suggestion: '  a;\n  b;' });
  });

  it.each([
    ['starts outside the diff', 8, 11],
    ['spans two hunks', 12, 30],
    ['has more lines than the diff', 1, 30],
  ])('becomes text if the range %s', (_name, startLine, line) => {
    const finding = place(startLine, line);
    expect(finding).toMatchObject({ startLine: null, line, suggestion: null });
    expect(finding?.body).toContain(`Lines ${startLine} to ${line}:\n\n\`\`\`\n  a;\n  b;\n\`\`\``);
  });
});

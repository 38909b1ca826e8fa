import fc from 'fast-check';
import { SEVERITIES } from '../turns/review/review-output.js';
import { decideRound } from './decide-round.js';
import { FINDING_STATUSES, type FindingStatus, isBlocking } from './findings/finding.js';
import { aFinding, anEarlierFinding } from './testing/a-finding.js';

const policy = { blockingSeverity: 'high', maxFindings: 10 } as const;
const lines = new Map([['src/upload.ts', new Map([[14, '}']])]]);
const judge = (overrides: Partial<Parameters<typeof decideRound>[0]>) =>
  decideRound({ round: 1, findings: [aFinding()], earlier: [], lines, policy, ...overrides });
const before = (status: FindingStatus) => [anEarlierFinding({ id: 7, status })];

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
    'gives %s (%s) that is new in round %d the drop reason %j',
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
    'gives a %s finding that is raised again with severity %s the drop reason %j',
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

  it('lists the findings that are gone', () => {
    expect(judge({ findings: [], earlier: before('open'), round: 2 })).toMatchObject({
      verdict: { kind: 'approved' },
      gone: [{ id: 7 }],
    });
  });

  it('finds the line of a path that starts with a dot', () => {
    expect(judge({ findings: [aFinding({ path: './src/upload.ts' })] }).placement.inline).toHaveLength(1);
  });

  it('drops no blocking finding unless a person dismissed it, and accounts for every finding', () => {
    const finding = fc.record({
      line: fc.constantFrom(null, 1, 14),
      severity: fc.constantFrom(...SEVERITIES),
      body: fc.constantFrom('The fourth try is never stopped.', 'No test covers this.', 'Names are unclear.'),
      category: fc.constantFrom('edge_cases', 'tests'),
    });
    fc.assert(
      fc.property(
        fc.array(finding.map(aFinding), { maxLength: 15 }),
        fc.constantFrom(...FINDING_STATUSES),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 5 }),
        (findings, status, round, maxFindings) => {
          const earlier = before(status);
          const { raised, dropped, placement, verdict } = judge({
            findings,
            earlier,
            round,
            policy: { ...policy, maxFindings },
          });
          expect(raised.length + dropped.length).toBe(findings.length);
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

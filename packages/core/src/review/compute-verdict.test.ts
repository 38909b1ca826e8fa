import fc from 'fast-check';
import { SEVERITIES } from '../turns/review/review-output.js';
import { computeVerdict } from './compute-verdict.js';
import { FINDING_STATUSES } from './findings/finding.js';

describe('computeVerdict', () => {
  it.each([
    ['high', 'critical', 'changes_requested'],
    ['high', 'high', 'changes_requested'],
    ['high', 'medium', 'approved'],
    ['high', 'low', 'approved'],
    ['critical', 'high', 'approved'],
    ['medium', 'medium', 'changes_requested'],
    ['low', 'low', 'changes_requested'],
  ] as const)(
    'with the blocking severity %s, a %s finding leads to %s',
    (blockingSeverity, severity, kind) => {
      expect(computeVerdict([{ severity, status: 'open' }], blockingSeverity).kind).toBe(kind);
    },
  );

  it.each([
    ['open', 'changes_requested'],
    ['wontfix', 'changes_requested'],
    ['disputed', 'changes_requested'],
    ['fixed', 'approved'],
    ['dismissed', 'approved'],
  ] as const)('a critical finding with the status %s leads to %s', (status, kind) => {
    expect(computeVerdict([{ severity: 'critical', status }], 'high').kind).toBe(kind);
  });

  it('approves a change without findings', () => {
    expect(computeVerdict([], 'low')).toEqual({ kind: 'approved' });
  });

  it('never returns a milder verdict for an additional finding or a different order', () => {
    const severity = fc.constantFrom(...SEVERITIES);
    const finding = fc.record({ severity, status: fc.constantFrom(...FINDING_STATUSES) });
    fc.assert(
      fc.property(fc.array(finding), finding, severity, (findings, more, blockingSeverity) => {
        const verdict = computeVerdict(findings, blockingSeverity);
        expect(computeVerdict(findings.toReversed(), blockingSeverity).kind).toBe(verdict.kind);
        if (verdict.kind === 'approved') return;
        const next = computeVerdict([more, ...findings], blockingSeverity);
        expect(next).toMatchObject({ kind: 'changes_requested' });
        expect(next.kind === 'changes_requested' && next.blocking).toEqual(
          expect.arrayContaining([...verdict.blocking]),
        );
      }),
    );
  });
});

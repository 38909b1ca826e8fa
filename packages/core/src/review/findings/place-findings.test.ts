import fc from 'fast-check';
import { SEVERITIES } from '../../turns/review/review-output.js';
import { aRaisedFinding } from '../testing/a-finding.js';
import { placeFindings } from './place-findings.js';

const policy = { blockingSeverity: 'high', maxFindings: 10 } as const;
const lines = new Map([['src/upload.ts', new Map([[14, 'code']])]]);
const where = (placement: object) =>
  Object.entries(placement)
    .filter(([, findings]) => findings.length > 0)
    .map(([place]) => place);

describe('placeFindings', () => {
  it.each([
    ['on a line of the diff', {}, 'inline'],
    ['that was raised again on a line of the diff', { origin: 'regressed' }, 'inline'],
    ['on a line that the diff does not show', { line: 15 }, 'demoted'],
    ['on a file that the diff does not show', { path: 'src/other.ts' }, 'demoted'],
    ['on the whole file', { line: null }, 'demoted'],
    ['that already has a thread', { origin: 'known' }, 'standing'],
    ['of low severity', { severity: 'low' }, 'nits'],
    ['of low severity that already has a thread', { severity: 'low', origin: 'known' }, 'standing'],
  ] as const)('classifies a finding %s %j as %s', (_what, overrides, place) => {
    expect(where(placeFindings([aRaisedFinding(overrides)], lines, policy))).toEqual([place]);
  });

  it('never shows a blocking finding as a nit', () => {
    const strict = { blockingSeverity: 'low', maxFindings: 10 } as const;
    expect(where(placeFindings([aRaisedFinding({ severity: 'low' })], lines, strict))).toEqual(['inline']);
  });

  it('shows the most severe findings once each, and never more than the cap', () => {
    const finding = fc
      .record({
        severity: fc.constantFrom(...SEVERITIES),
        line: fc.constantFrom(null, 14, 15),
        origin: fc.constantFrom('new', 'known', 'regressed'),
      })
      .map(aRaisedFinding);
    fc.assert(
      fc.property(fc.array(finding), fc.integer({ min: 1, max: 50 }), (findings, maxFindings) => {
        const { hidden, ...shown } = placeFindings(findings, lines, { ...policy, maxFindings });
        const seen = Object.values(shown).flat();
        expect(new Set([...seen, ...hidden])).toEqual(new Set(findings));
        expect(seen.length).toBe(Math.min(findings.length, maxFindings));
        const rank = ({ severity }: { severity: (typeof SEVERITIES)[number] }) =>
          SEVERITIES.indexOf(severity);
        for (const left of hidden) for (const one of seen) expect(rank(one)).toBeLessThanOrEqual(rank(left));
        for (const { line } of shown.inline) expect(line).toBe(14);
      }),
    );
  });
});

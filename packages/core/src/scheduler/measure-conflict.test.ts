import fc from 'fast-check';
import { computeJaccard, measureConflict } from './measure-conflict.js';
import { DEFAULT_WEIGHTS } from './weights.js';

describe('measureConflict', () => {
  const counts = { mine: 4, theirs: 4, mineMet: 0, theirsMet: 0 };

  it.each([
    ['a small change without a shared module', 'S', null, 0],
    ['a large change without a shared module', 'L', null, 0.1],
    ['a small change in the same module', 'S', counts, 0.2],
    ['a medium change in the same module', 'M', counts, 0.25],
    ['one shared path out of four', 'S', { ...counts, mineMet: 1, theirsMet: 1 }, 0.7 / 7 + 0.2],
    ['a large change with only shared paths', 'L', { ...counts, mineMet: 4, theirsMet: 4 }, 1],
  ] as const)('measures the risk for %s', (_name, size, met, risk) => {
    expect(measureConflict(size, met, DEFAULT_WEIGHTS)).toBeCloseTo(risk, 12);
  });

  it('applies the given weights', () => {
    const weights = { pathRisk: 0.5, moduleRisk: 0.3, sizeRisk: 0.2 };
    expect(measureConflict('M', { ...counts, mineMet: 4, theirsMet: 4 }, weights)).toBeCloseTo(0.9, 12);
  });
});

describe('computeJaccard', () => {
  it('is the Jaccard index for plain paths', () => {
    const set = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { minLength: 1 });
    fc.assert(
      fc.property(set, set, (a, b) => {
        const met = a.filter((one) => b.includes(one)).length;
        const counts = { mine: a.length, theirs: b.length, mineMet: met, theirsMet: met };
        expect(computeJaccard(counts)).toBe(met / new Set([...a, ...b]).size);
      }),
    );
  });

  it('treats a glob and the files it matches as the same', () => {
    expect(computeJaccard({ mine: 1, theirs: 10, mineMet: 1, theirsMet: 10 })).toBe(1);
    expect(computeJaccard({ mine: 2, theirs: 10, mineMet: 1, theirsMet: 9 })).toBe(9 / 11);
  });
});

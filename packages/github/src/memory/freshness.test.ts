import { createFreshness } from './freshness.js';

const OLD = '2026-01-01T00:00:01Z';
const NEW = '2026-01-01T00:00:02Z';

describe('createFreshness', () => {
  it('rejects a response that is older than an earlier one', () => {
    const freshness = createFreshness();
    expect(freshness.check('o/n', { number: 1, updatedAt: NEW })).toEqual({ number: 1, updatedAt: NEW });
    expect(() => freshness.check('o/n', { number: 1, updatedAt: OLD })).toThrow(/outdated version of o\/n#1/);
    expect(freshness.isOutdated('o/n', { number: 1, updatedAt: OLD })).toBe(true);
  });

  it('accepts the same version again, and versions of other objects', () => {
    const freshness = createFreshness();
    freshness.note('o/n', { number: 1, updatedAt: NEW });
    expect(freshness.check('o/n', { number: 1, updatedAt: NEW })).toBeDefined();
    expect(freshness.check('o/n', { number: 2, updatedAt: OLD })).toBeDefined();
    expect(freshness.check('o/other', { number: 1, updatedAt: OLD })).toBeDefined();
  });

  it('reports whether a version is new, and never returns to an older one', () => {
    const freshness = createFreshness();
    const noted = [OLD, OLD, NEW, OLD, NEW].map((updatedAt) =>
      freshness.note('o/n', { number: 1, updatedAt }),
    );
    expect(noted).toEqual([true, false, true, false, false]);
    expect(freshness.isOutdated('o/n', { number: 1, updatedAt: OLD })).toBe(true);
  });
});

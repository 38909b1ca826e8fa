import fc from 'fast-check';
import { keepNewest } from './keep-newest.js';

describe('keepNewest', () => {
  it('keeps the end of a list, up to a thousand comments and two million characters', () => {
    const length = fc.constantFrom(0, 1, 40_000, 65_536);
    fc.assert(
      fc.property(fc.array(length, { maxLength: 1_100, size: 'max' }), (lengths) => {
        const all = lengths.map((size, index) => ({ id: index, body: 'x'.repeat(size) }));
        const kept = keepNewest(all);
        const size = kept.reduce((sum, { body }) => sum + body.length, 0);
        const next = all.at(-kept.length - 1);
        expect(kept).toEqual(all.slice(all.length - kept.length));
        expect(kept.length).toBeLessThanOrEqual(1_000);
        expect(size).toBeLessThanOrEqual(2_000_000);
        if (kept.length < Math.min(all.length, 1_000))
          expect(size + (next?.body.length ?? 0)).toBeGreaterThan(2_000_000);
      }),
      { numRuns: 20 },
    );
  });
});

import fc from 'fast-check';
import { findCriticalPath, type Interval } from './critical-path.js';

const intervals = (...pairs: readonly (readonly [number, number])[]): Interval[] =>
  pairs.map(([startMs, endMs]) => ({ startMs, endMs }));

describe('the critical path', () => {
  it.each([
    ['no request', [], 0],
    ['one request', [[0, 10]], 1],
    [
      'sequential requests',
      [
        [0, 10],
        [10, 20],
        [25, 30],
      ],
      3,
    ],
    [
      'simultaneous requests',
      [
        [0, 10],
        [0, 10],
        [1, 9],
      ],
      1,
    ],
    [
      'two parallel pairs of sequential requests',
      [
        [0, 10],
        [10, 20],
        [0, 12],
        [12, 20],
      ],
      2,
    ],
    [
      'a long request that runs alongside three short requests',
      [
        [0, 100],
        [0, 10],
        [20, 30],
        [40, 50],
      ],
      3,
    ],
    [
      'sequential requests that are listed in reverse order',
      [
        [40, 50],
        [20, 30],
        [0, 10],
      ],
      3,
    ],
    [
      'a request that ends after the time limit',
      [
        [0, 10],
        [990, 1_001],
      ],
      1,
    ],
    [
      'a request that ends at the time limit',
      [
        [0, 10],
        [990, 1_000],
      ],
      2,
    ],
  ] as const)('has the expected length for %s', (_name, pairs, length) =>
    expect(findCriticalPath(intervals(...pairs), 1_000)).toHaveLength(length),
  );

  it('is a chain of sequential requests, and a brute-force search finds no longer chain', () => {
    const request = fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 15 }));
    fc.assert(
      fc.property(fc.array(request, { maxLength: 9 }), (drawn) => {
        const all = intervals(...drawn.map(([start, length]) => [start, start + length] as const));
        const chain = findCriticalPath(all, 100);
        for (const [index, { startMs }] of chain.slice(1).entries())
          expect(startMs).toBeGreaterThanOrEqual(chain[index]?.endMs ?? 0);
        expect(chain.length).toBe(tryAll(all, 0));
      }),
    );
  });
});

function tryAll(requests: readonly Interval[], fromMs: number): number {
  const next = requests.filter(({ startMs }) => startMs >= fromMs);
  return Math.max(0, ...next.map(({ endMs }) => 1 + tryAll(next, endMs)));
}

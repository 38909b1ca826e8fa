import { render } from '../html.js';
import { drawPlots } from './draw-plots.js';
import { chooseTop, chooseTopSeconds } from './frame.js';

describe('the plots', () => {
  it.each([
    [[0, 0], 4, 4],
    [[7], 4, 10],
    [[10], 4, 10],
    [[11], 4, 20],
    [[0.03], 0.01, 0.04],
    [[120_000], 1, 200_000],
  ])('choose an axis for %j, with a minimum of %j, that ends at %j', (values, least, expected) => {
    expect(chooseTop(values, least)).toBeCloseTo(expected);
  });

  it.each([
    [[], 60],
    [[90], 120],
    [[3_601], 7_200],
    [[9 * 86_400], 10 * 86_400],
  ])('choose an axis for %j seconds that ends at %j', (values, expected) => {
    expect(chooseTopSeconds(values)).toBeCloseTo(expected);
  });

  it.each(['hours', 'days', 'weeks'] as const)('contain only finite numbers per %s', (range) => {
    const steps = [0, 86_400_000];
    const empty = {
      ...{ range, steps },
      turns: steps.map(() => ({ done: 0, failed: 0 })),
      costUsd: [0, 0],
      tokens: [0, 0],
      medianLatency: [null, null],
      waiting: [0, 0],
    };
    const full = {
      ...{ range, steps },
      turns: [
        { done: 3, failed: 1 },
        { done: 0, failed: 2 },
      ],
      costUsd: [0.5, 1.25],
      tokens: [1_000, 2_000_000],
      medianLatency: [null, 95],
      waiting: [2, 0],
    };
    for (const series of [empty, full]) {
      const svg = render(drawPlots(series));
      expect(svg).not.toMatch(/NaN|Infinity|undefined|null/);
      expect(svg.match(/<svg /g)).toHaveLength(4);
    }
  });

  it('name each step in a tooltip', () => {
    const series = {
      ...{ range: 'days' as const, steps: [0, 86_400_000] },
      turns: [
        { done: 3, failed: 1 },
        { done: 0, failed: 2 },
      ],
      costUsd: [0, 1.25],
      tokens: [0, 0],
      medianLatency: [null, 95],
      waiting: [2, 0],
    };
    const text = render(drawPlots(series));
    expect(text).toContain('1970-01-02: 1m 35s');
    expect(text).toContain('1970-01-01: 3 done, 1 failed');
    expect(text).toContain('1970-01-01: no replies');
    expect(text).toContain('$1.25 today');
  });
});

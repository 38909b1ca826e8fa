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

  it('contain only finite numbers, with and without data', () => {
    const days = [0, 86_400_000];
    const empty = {
      days,
      turns: days.map(() => ({ done: 0, failed: 0 })),
      costUsd: [0, 0],
      tokens: [0, 0],
      medianLatency: [null, null],
      depth: [],
    };
    const full = {
      days,
      turns: [
        { done: 3, failed: 1 },
        { done: 0, failed: 2 },
      ],
      costUsd: [0.5, 1.25],
      tokens: [1_000, 2_000_000],
      medianLatency: [null, 95],
      depth: [
        { at: 0, waiting: 2 },
        { at: 1, waiting: 0 },
      ],
    };
    for (const history of [empty, full]) {
      const svg = render(drawPlots(history));
      expect(svg).not.toMatch(/NaN|Infinity|undefined|null/);
      expect(svg.match(/<svg /g)).toHaveLength(4);
    }
    const text = render(drawPlots(full));
    expect(text).toContain('1970-01-02: 1m 35s');
    expect(text).toContain('1970-01-01: 3 done, 1 failed');
    expect(text).toContain('$1.25 today');
  });
});

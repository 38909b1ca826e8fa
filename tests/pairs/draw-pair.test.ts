import { FAILPOINTS } from '@mergexo/core/basics';
import { drawPair, listPoints } from './draw-pair.js';
import { chooseFlows, FLOWS } from './flows.js';

describe('the rounds of npm run chaos:pairs', () => {
  it('reach every failpoint in at least one flow', () => {
    const reached = new Set(FLOWS.flatMap(listPoints));
    expect(FAILPOINTS.filter((point) => !reached.has(point))).toEqual([]);
  });

  it('name only failpoints that exist', () => {
    const known: readonly string[] = FAILPOINTS;
    expect(FLOWS.flatMap(({ skips }) => skips).filter((point) => !known.includes(point))).toEqual([]);
  });

  it('are the same for the same seed, and cover every flow', () => {
    const draw = (seed: number) =>
      Array.from({ length: 200 }, (_, number) => drawPair(FLOWS, seed, number)).map(
        ({ flow, points }) => `${flow.name} ${points.join(',')}`,
      );
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(new Set(draw(7).map((round) => round.split(' ')[0])).size).toBe(FLOWS.length);
  });

  it('can be limited to one flow', () => {
    expect(chooseFlows('review').map(({ name }) => name)).toEqual(['review']);
    expect(() => chooseFlows('fly')).toThrow('There is no flow "fly". Use one of: bugfix, design, ');
  });
});

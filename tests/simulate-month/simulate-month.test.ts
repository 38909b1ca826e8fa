import { drawMonth } from './distribution.js';
import { type Choose, chooseByArrival, chooseByConflict, simulateMonth } from './simulate-month.js';

const SEEDS = [101, 102];
const SLOTS = 6;

function play(choose: Choose): { conflicts: number; merged: number } {
  const months = SEEDS.map((seed) => simulateMonth(seed, SLOTS, choose));
  return {
    conflicts: months.reduce((sum, { conflicts }) => sum + conflicts, 0),
    merged: months.reduce((sum, { merged }) => sum + merged, 0),
  };
}

describe('a simulated month of 200 designs', () => {
  it('has at most half the conflicts of first come, first served, and about as many merges', () => {
    const base = play(chooseByArrival);
    const byConflict = play(chooseByConflict());
    expect(base.conflicts).toBeGreaterThan(50 * SEEDS.length);
    expect(byConflict.conflicts).toBeLessThanOrEqual(base.conflicts / 2);
    expect(byConflict.merged).toBeGreaterThanOrEqual(base.merged * 0.9);
    expect(byConflict.merged).toBeLessThanOrEqual(base.merged * 1.1);
  });

  it('is the same for the same seed', () => {
    expect(drawMonth(7)).toEqual(drawMonth(7));
    expect(drawMonth(7)).not.toEqual(drawMonth(8));
  });
});

import { foldSteps } from './fold-steps.js';

const other = (createdAt: number) => ({ type: 'turn_begun', createdAt, payload: {} });
const step = (createdAt: number) => ({
  type: 'turn_progress',
  createdAt,
  payload: { step: `s${createdAt}` },
});

describe('foldSteps', () => {
  it('merges consecutive steps and keeps the order', () => {
    expect(foldSteps([other(1), step(2), step(3), other(4), step(5)])).toEqual([
      other(1),
      { at: 2, steps: ['s2', 's3'], count: 2 },
      other(4),
      { at: 5, steps: ['s5'], count: 1 },
    ]);
  });

  it('keeps only the last steps, with the total count', () => {
    expect(foldSteps([1, 2, 3, 4, 5, 6].map(step))).toEqual([
      { at: 1, steps: ['s3', 's4', 's5', 's6'], count: 6 },
    ]);
  });
});

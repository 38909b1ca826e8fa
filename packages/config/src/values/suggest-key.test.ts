import fc from 'fast-check';
import { editDistance, suggestKey } from './suggest-key.js';

const KNOWN = ['worker_count', 'base_dir', 'log_level', 'url', 'model'];

describe('suggestKey', () => {
  it.each([
    ['worker_cont', 'worker_count'],
    ['wroker_count', 'worker_count'],
    ['workercount', 'worker_count'],
    ['WorkerCount', 'worker_count'],
    ['worker-count', 'worker_count'],
    ['LOG_LEVEL', 'log_level'],
    ['ulr', 'url'],
    ['uri', 'url'],
    ['colour', undefined],
    ['x', undefined],
    ['', undefined],
    ['x'.repeat(100_000), undefined],
  ])('for %s, suggests %s', (seen, meant) => {
    expect(suggestKey(seen, KNOWN)).toBe(meant);
  });
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['abc', 'abd', 1],
    ['abc', 'acb', 1],
    ['kitten', 'sitting', 3],
    ['ca', 'abc', 3],
  ])('counts the edits from %p to %p', (left, right, steps) => {
    expect(editDistance(left, right)).toBe(steps);
  });

  it('is symmetric, and zero only for equal words', () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, word, (left, right) => {
        expect(editDistance(left, right)).toBe(editDistance(right, left));
        expect(editDistance(left, right) === 0).toBe(left === right);
      }),
    );
  });
});

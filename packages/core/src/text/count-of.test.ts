import { countOf } from './count-of.js';

it.each([
  [0, '0 answers'],
  [1, '1 answer'],
  [2, '2 answers'],
])('countOf(%d) is %s', (count, words) => {
  expect(countOf(count, 'answer')).toBe(words);
});

it('countOf accepts an explicit plural', () => {
  expect([1, 2].map((count) => countOf(count, 'fix', 'fixes'))).toEqual(['1 fix', '2 fixes']);
});

import fc from 'fast-check';
import { computeSimilarity, listWords } from './compute-similarity.js';

const compare = (a: string, b: string) => computeSimilarity(listWords(a), listWords(b));

describe('computeSimilarity', () => {
  it.each([
    [
      'The retry loop never stops when the server keeps timing out, so an upload can run forever.',
      'When the server keeps timing out, this retry loop never stops and uploads run forever.',
    ],
    [
      '`parseUser` does not handle null: `user.name` throws a TypeError on line 12.',
      'Null is not handled in `parseUser`; on line 40 `user.name` throws TypeError.',
    ],
    ['The token is logged in plain text.', 'Logs the token as plain text'],
    ['No test covers line 140.', 'No test covers line 2330.'],
  ])('recognises a rewording: %j', (a, b) => {
    expect(compare(a, b)).toBeGreaterThanOrEqual(0.5);
  });

  it.each([
    [
      '`parseUser` does not handle null: `user.name` throws a TypeError.',
      '`renderPage` does not escape the title, so a script in it runs.',
    ],
    ['Null is not handled in parseUser.', 'Null is not handled in renderPage when the list is empty.'],
    ['No test covers the timeout.', 'No test covers an empty upload list.'],
    ['This can throw when the list has been emptied.', 'This can leak when the lock has been taken.'],
    ['The token is logged in plain text.', 'The password is compared in variable time.'],
  ])('tells different findings apart: %j', (a, b) => {
    expect(compare(a, b)).toBeLessThan(0.5);
  });

  it('is symmetric, 1 for equal texts, and always between 0 and 1', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(compare(a, b)).toBe(compare(b, a));
        expect(compare(a, a)).toBe(1);
        expect(compare(a, b)).toBeGreaterThanOrEqual(0);
        expect(compare(a, b)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

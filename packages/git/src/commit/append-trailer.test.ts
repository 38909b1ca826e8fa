import { appendTrailer } from './append-trailer.js';

const TRAILER = 'MergeXO-Turn: abc';

describe('appendTrailer', () => {
  it.each([
    ['Fix', `Fix\n\n${TRAILER}\n`],
    ['Fix: the crash', `Fix: the crash\n\n${TRAILER}\n`],
    ['Fix\n\nWhy: because\nand more\n\n', `Fix\n\nWhy: because\nand more\n\n${TRAILER}\n`],
    ['Fix\n\nCo-authored-by: A <a@b>\n', `Fix\n\nCo-authored-by: A <a@b>\n${TRAILER}\n`],
    [`Fix\n\n${TRAILER}\n`, `Fix\n\n${TRAILER}\n`],
    ['Fix\r\n\r\nBody\0\r\n', `Fix\n\nBody\n\n${TRAILER}\n`],
    [' \n\t', `Change files\n\n${TRAILER}\n`],
  ])('appends the trailer to %j', (message, expected) =>
    expect(appendTrailer(message, TRAILER)).toBe(expected),
  );

  it('takes linear time for a message of blanks', () => {
    const blanks = ' '.repeat(1_000_000);
    expect(appendTrailer(`a${blanks}b`, TRAILER)).toBe(`a${blanks}b\n\n${TRAILER}\n`);
  });

  it.each(['', 'no colon', 'A: b\nC: d', 'A:b'])('rejects %j as a trailer', (trailer) =>
    expect(() => appendTrailer('x', trailer)).toThrow('is not a trailer'),
  );
});

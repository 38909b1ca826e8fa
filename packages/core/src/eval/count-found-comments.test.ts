import { countFoundComments } from './count-found-comments.js';

const at = (path: string, line: number | null) => ({ path, line });

describe('countFoundComments', () => {
  it.each([
    ['the same line', [at('a', 7)], [at('a', 7)], 1],
    ['a nearby line', [at('a', 7)], [at('a', 12)], 1],
    ['a distant line', [at('a', 7)], [at('a', 13)], 0],
    ['another file', [at('a', 7)], [at('b', 7)], 0],
    ['a comment on the whole file', [at('a', null)], [at('a', null)], 1],
    ['a comment on the whole file and a finding on a line', [at('a', null)], [at('a', 1)], 0],
    ['two comments and one finding between them', [at('a', 7), at('a', 9)], [at('a', 8)], 1],
    ['two comments, each with its own finding', [at('a', 7), at('a', 9)], [at('a', 9), at('a', 7)], 2],
    ['no findings', [at('a', 7)], [], 0],
    ['no comments', [], [at('a', 7)], 0],
  ])('with %s, counts the found comments', (_name, places, findings, expected) => {
    expect(countFoundComments(places, findings)).toBe(expected);
  });
});

import { carryLine, findLine, parseHunks } from './parse-patch.js';

const PATCH = [
  '@@ -1,3 +1,4 @@',
  ' one',
  '-two',
  '+zwei',
  '+drei',
  ' three',
  '@@ -10 +11,2 @@ tail',
  ' ten',
  '+eleven',
  '\\ No newline at end of file',
].join('\n');

describe('a patch', () => {
  const hunks = parseHunks(PATCH);

  it.each([
    ['RIGHT', 1, 1],
    ['LEFT', 2, 2],
    ['RIGHT', 2, 3],
    ['RIGHT', 4, 5],
    ['LEFT', 3, 5],
    ['RIGHT', 12, 8],
  ] as const)('has the %s line %i at position %i', (side, line, position) => {
    expect(findLine(hunks, side, line)?.position).toBe(position);
  });

  it('has no position for lines outside its hunks', () => {
    expect([findLine(hunks, 'RIGHT', 5), findLine(hunks, 'LEFT', 9), findLine(hunks, 'RIGHT', 13)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('gives a comment the part of the hunk up to the comment’s line', () => {
    expect(findLine(hunks, 'RIGHT', 2)?.diffHunk).toBe('@@ -1,3 +1,4 @@\n one\n-two\n+zwei');
  });
});

describe('the line number after a later change', () => {
  // Replaces line 2 with two lines, inserts one line after line 5, and removes line 8.
  const edits = parseHunks(['@@ -2 +2,2 @@', '@@ -5,0 +7 @@', '@@ -8 +9,0 @@'].join('\n'));

  it.each([
    [1, 1],
    [2, undefined],
    [3, 4],
    [5, 6],
    [6, 8],
    [8, undefined],
    [9, 10],
  ])('changes from %i to %p', (before, after) => {
    expect(carryLine(edits, before)).toBe(after);
  });
});

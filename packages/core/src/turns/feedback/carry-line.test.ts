import { carryLine } from './carry-line.js';

/** Lines 2 and 3 became one line, and two lines were added after line 6. */
const DIFF = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,4 +1,3 @@
 one
-two
-three
+new
 four
@@ -6,1 +5,3 @@
 six
+seven
+eight
`;

describe('carryLine', () => {
  it.each<[string, number, number]>([
    ['before a change', 1, 1],
    ['that was replaced', 2, 2],
    ['that was deleted', 3, 2],
    ['after a change in the same hunk', 4, 3],
    ['between two hunks', 5, 4],
    ['before an insertion', 6, 5],
    ['after the last hunk', 9, 10],
  ])('follows a line %s', (_name, line, carried) => {
    expect(carryLine(DIFF, line)).toBe(carried);
  });

  it('keeps the number in an unchanged file, and returns null for a deleted file', () => {
    expect(carryLine('', 7)).toBe(7);
    expect(carryLine('--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n', 1)).toBeNull();
  });
});

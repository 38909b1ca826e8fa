const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/**
 * Returns the number that a line of the old file has in the new file, given the diff of that file. A deleted line maps
 * to the place where its replacement begins. Null if the diff deletes the file.
 */
export function carryLine(diff: string, line: number): number | null {
  const lines = diff.split('\n');
  if (lines.includes('+++ /dev/null')) return null;
  let carried = line;
  for (const [at, text] of lines.entries()) {
    const header = HUNK.exec(text);
    if (header === null) continue;
    const [oldStart = 0, oldCount = 0, newStart = 0, newCount = 0] = header
      .slice(1)
      .map((n) => Number(n ?? 1));
    if (line < oldStart) break;
    if (line < oldStart + oldCount)
      return followHunk(lines.slice(at + 1), { oldLine: oldStart, newLine: newStart, line });
    carried = line + newStart + newCount - oldStart - oldCount;
  }
  return carried;
}

function followHunk(
  lines: readonly string[],
  { line, ...start }: { oldLine: number; newLine: number; line: number },
): number {
  let { oldLine, newLine } = start;
  for (const text of lines) {
    const mark = text.charAt(0);
    if (mark !== '+' && mark !== '\\') {
      if (oldLine === line) break;
      oldLine += 1;
    }
    if (mark !== '-' && mark !== '\\') newLine += 1;
  }
  return newLine;
}

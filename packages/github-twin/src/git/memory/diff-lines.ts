type Edit = { kind: ' ' | '-' | '+'; text: string };

/** Renders the hunks of a unified diff as git does. Returns an empty string if the texts are equal. */
export function diffLines(before: string, after: string, context: number): string {
  const edits = compareLines(splitLines(before), splitLines(after));
  let [oldLine, newLine] = [0, 0];
  const placed = edits.map((edit) => {
    if (edit.kind !== '+') oldLine += 1;
    if (edit.kind !== '-') newLine += 1;
    return { ...edit, oldLine, newLine };
  });
  const hunks: (typeof placed)[] = [];
  let shownTo = -1;
  for (const [index, { kind }] of placed.entries()) {
    if (kind === ' ') continue;
    const from = Math.max(0, index - context);
    if (hunks.length === 0 || from > shownTo) hunks.push([]);
    hunks.at(-1)?.push(...placed.slice(Math.max(from, shownTo), index + context + 1));
    shownTo = Math.max(shownTo, Math.min(placed.length, index + context + 1));
  }
  return hunks.map((hunk) => renderHunk(hunk)).join('');
}

function renderHunk(lines: readonly (Edit & { oldLine: number; newLine: number })[]): string {
  const range = (kind: '-' | '+', last: 'oldLine' | 'newLine'): string => {
    const count = lines.filter((line) => line.kind === ' ' || line.kind === kind).length;
    const start = (lines.at(-1)?.[last] ?? 0) - count + (count === 0 ? 0 : 1);
    return count === 1 ? String(start) : `${start},${count}`;
  };
  const body = lines.map(({ kind, text }) =>
    text.endsWith('\n') ? `${kind}${text}` : `${kind}${text}\n\\ No newline at end of file\n`,
  );
  return `@@ -${range('-', 'oldLine')} +${range('+', 'newLine')} @@\n${body.join('')}`;
}

function splitLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** Finds a longest common subsequence. Quadratic, which is fast enough for the short files of a simulated world. */
function compareLines(before: readonly string[], after: readonly string[]): Edit[] {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = lengths[i];
      if (row) row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]];
    if (old !== undefined && old === fresh) {
      edits.push({ kind: ' ', text: old });
      i += 1;
      j += 1;
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      edits.push({ kind: '-', text: old });
      i += 1;
    } else {
      edits.push({ kind: '+', text: fresh ?? '' });
      j += 1;
    }
  }
  return edits;
}

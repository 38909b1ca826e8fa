import type { Side } from '../store/rows.js';

export type Hunk = {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
};

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Parses the hunks of one file's patch. The first line of each hunk is its header. */
export function parseHunks(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of patch.split('\n')) {
    const header = HEADER.exec(line);
    if (header) {
      const counts = header.slice(1).map((count) => Number(count ?? 1));
      const [oldStart = 0, oldLines = 1, newStart = 0, newLines = 1] = counts;
      hunks.push({ oldStart, oldLines, newStart, newLines, lines: [line] });
    } else hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

export type DiffLine = {
  kind: 'hunk' | 'same' | 'added' | 'removed' | 'note';
  oldLine: number | null;
  newLine: number | null;
  text: string;
};

/** Lists the lines of a hunk with their old and new line numbers. */
export function listLines({ oldStart, newStart, lines }: Hunk): DiffLine[] {
  let [oldLine, newLine] = [oldStart, newStart];
  return lines.map((line, index): DiffLine => {
    const none = { oldLine: null, newLine: null };
    if (index === 0) return { kind: 'hunk', ...none, text: line };
    if (line.startsWith('\\')) return { kind: 'note', ...none, text: line };
    const text = line.slice(1);
    if (line.startsWith('+')) return { kind: 'added', oldLine: null, newLine: newLine++, text };
    if (line.startsWith('-')) return { kind: 'removed', oldLine: oldLine++, newLine: null, text };
    return { kind: 'same', oldLine: oldLine++, newLine: newLine++, text };
  });
}

export type Spot = { position: number; diffHunk: string };

/** Finds a line in the hunks. GitHub's `position` counts the lines below the first hunk header. */
export function findLine(hunks: Hunk[], side: Side, wanted: number): Spot | undefined {
  const key = side === 'LEFT' ? 'oldLine' : 'newLine';
  let before = 0;
  for (const hunk of hunks) {
    const index = listLines(hunk).findIndex((line) => line[key] === wanted);
    if (index >= 0) return { position: before + index, diffHunk: hunk.lines.slice(0, index + 1).join('\n') };
    before += hunk.lines.length;
  }
  return undefined;
}

/** Maps a line through a later change (hunks without context). Returns undefined if the change touched the line. */
export function carryLine(hunks: Hunk[], line: number): number | undefined {
  let shift = 0;
  for (const hunk of hunks) {
    // For a pure insertion git names the line before it: `-7,0` is between lines 7 and 8.
    const first = hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart;
    if (line < first) break;
    if (line < first + hunk.oldLines) return undefined;
    shift += hunk.newLines - hunk.oldLines;
  }
  return line + shift;
}

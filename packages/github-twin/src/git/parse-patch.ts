import type { Side } from '../store/review-rows.js';

export type Hunk = {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
};

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The hunks of one file's patch; each keeps its header as first line. */
export function parseHunks(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of patch.split('\n')) {
    const header = HEADER.exec(line);
    if (header) {
      const [, oldStart, oldLines = '1', newStart, newLines = '1'] = header;
      hunks.push({
        oldStart: Number(oldStart),
        oldLines: Number(oldLines),
        newStart: Number(newStart),
        newLines: Number(newLines),
        lines: [line],
      });
    } else hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

export type Spot = { position: number; diffHunk: string };

/** Where a line stands in the diff: GitHub's `position` counts all lines below the first hunk header. */
export function findLine(hunks: Hunk[], side: Side, wanted: number): Spot | undefined {
  let position = -1;
  for (const hunk of hunks) {
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const [index, text] of hunk.lines.entries()) {
      position += 1;
      if (index === 0 || text.startsWith('\\')) continue;
      const onLeft = !text.startsWith('+');
      const onRight = !text.startsWith('-');
      const here = side === 'LEFT' ? onLeft && oldLine === wanted : onRight && newLine === wanted;
      if (here) return { position, diffHunk: hunk.lines.slice(0, index + 1).join('\n') };
      if (onLeft) oldLine += 1;
      if (onRight) newLine += 1;
    }
  }
  return undefined;
}

/** Follows a line through a later change (hunks without context); undefined when the change touched it. */
export function carryLine(hunks: Hunk[], line: number): number | undefined {
  let shift = 0;
  for (const hunk of hunks) {
    // A pure insertion is reported behind the line it follows: `-7,0` sits between 7 and 8.
    const first = hunk.oldLines === 0 ? hunk.oldStart + 1 : hunk.oldStart;
    if (line < first) break;
    if (line < first + hunk.oldLines) return undefined;
    shift += hunk.newLines - hunk.oldLines;
  }
  return line + shift;
}

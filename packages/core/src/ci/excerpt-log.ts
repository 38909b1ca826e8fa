import { readTestNames } from './find-failed-tests.js';
import type { LogLine } from './read-log.js';

/** Matches lines that probably explain a failure. Summaries such as `0 errors` do not count. */
const SIGNS =
  /(?:error|exception)s?\b|\b(?:err!|panic:)|\b(?:failed|failures?|fatal|panicked|traceback|assertion|denied|refused|cannot|undefined reference|segmentation fault)\b|^\s*(?:FAIL\b|not ok\b|[✕✗×✖●E] )/i;
const NOTHING_WRONG = /\b(?:0|no) (?:errors?|failed|failures?|failing)\b/i;

/** Number of lines to show before and after a sign of a failure. The lines after it usually explain more. */
const BEFORE = 3;
const AFTER = 8;

/**
 * Shortens a log to the lines around the first signs of a failure and the end of the failed step. Lines that name a
 * failed test come before other signs. Leaves out the cleanup steps that follow.
 */
export function excerptLog(lines: readonly LogLine[], room: number): string {
  const end = findEnd(lines);
  const tail = takeBackwards(lines, end, Math.floor(room / 2));
  const used = sizeOf(lines, tail, end);
  const shown = new Set<number>();
  let left = room - used;
  for (const at of listSigns(lines.slice(0, tail))) {
    if (left <= 0) break;
    for (let near = Math.max(0, at - BEFORE); near <= Math.min(tail - 1, at + AFTER); near += 1) {
      if (shown.has(near)) continue;
      left -= lengthOf(lines[near]);
      if (left < 0) break;
      shown.add(near);
    }
  }
  for (let at = tail; at < end; at += 1) shown.add(at);
  return join(
    lines,
    [...shown].sort((a, b) => a - b),
  );
}

function listSigns(lines: readonly LogLine[]): number[] {
  const names = readTestNames(lines);
  const all = [...lines.keys()];
  const isTest = (at: number): boolean => names[at] !== undefined;
  return [...all.filter(isTest), ...all.filter((at) => !isTest(at) && isSign(lines[at]))];
}

function isSign(line: LogLine | undefined): boolean {
  if (line === undefined) return false;
  return line.isError || (SIGNS.test(line.text) && !NOTHING_WRONG.test(line.text));
}

/**
 * Returns the index after the last line that GitHub Actions marked as an error. If there is none, returns the
 * index after the last line.
 */
function findEnd(lines: readonly LogLine[]): number {
  const last = lines.findLastIndex(({ isError }) => isError);
  return last < 0 ? lines.length : last + 1;
}

/** Returns the first index from which all lines up to `end` fit. Always includes at least one line. */
function takeBackwards(lines: readonly LogLine[], end: number, room: number): number {
  let [start, left] = [end, room];
  while (start > 0) {
    left -= lengthOf(lines[start - 1]);
    if (left < 0 && start < end) break;
    start -= 1;
  }
  return start;
}

function sizeOf(lines: readonly LogLine[], from: number, to: number): number {
  return lines.slice(from, to).reduce((sum, line) => sum + lengthOf(line), 0);
}

function lengthOf(line: LogLine | undefined): number {
  return (line?.text.length ?? 0) + 1;
}

/** Joins the lines, and marks each gap between them. */
function join(lines: readonly LogLine[], chosen: readonly number[]): string {
  let next = 0;
  const parts = chosen.flatMap((at) => {
    const gap = at - next;
    next = at + 1;
    const text = lines[at]?.text ?? '';
    return gap > 0 ? [`[${gap} lines omitted]`, text] : [text];
  });
  return parts.join('\n');
}

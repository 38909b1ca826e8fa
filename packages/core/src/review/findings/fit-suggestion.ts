import { fenceCode } from '../contain-text.js';
import type { RaisedFinding } from './choose-findings.js';
import type { DiffLines, PatchLines } from './read-hunks.js';

/**
 * Keeps a range only if GitHub accepts it: all its lines must be in one hunk. Otherwise the suggested code becomes part
 * of the text, because GitHub would replace only the last line with it.
 */
export function fitSuggestion(finding: RaisedFinding, lines: DiffLines): RaisedFinding {
  const { path, startLine, line, body, suggestion } = finding;
  const patch = lines.get(path);
  if (startLine === null || line === null || !patch?.has(line)) return finding;
  if (isOneHunk(patch, startLine, line)) return finding;
  const text =
    suggestion === null ? body : `${body}\n\nLines ${startLine} to ${line}:\n\n${fenceCode(suggestion, '')}`;
  return { ...finding, startLine: null, body: text, suggestion: null };
}

/** True if the diff shows every line of the range. Git joins hunks that touch, so lines without a gap are one hunk. */
function isOneHunk(patch: PatchLines, first: number, last: number): boolean {
  if (last - first >= patch.size) return false;
  for (let line = first; line <= last; line += 1) if (!patch.has(line)) return false;
  return true;
}

import { closeMarkdown } from '../markdown/close-markdown.js';
import { JOINER } from '../markdown/show-html.js';
import { stripHidden } from '../sanitise/strip-hidden.js';
import { neutraliseLine, neutraliseText } from '../text/neutralise.js';
import type { Redact } from '../text/redact.js';

/** The keys of the block that tells our verdict. Nobody else's words may look like it to a program. */
const KEY = /REVIEW(?=_RESULT)|FINDINGS(?=_COUNT)|BLOCKING(?=_ISSUES)/gi;
const KEY_LINE = /^([^\p{L}\n]{0,40}S)(?=(?:EVERITY|UMMARY)[^\p{L}\p{N}\n]{0,5}:)/gimu;
/** HTML that would end our folds. */
const FOLD = /<(?=\/?(?:details|summary)\b)/gi;

/** An agent's words between ours: they call, close, command, hide and decide nothing, and end where they end. */
export function containText(text: string, redact: Redact, maxLength: number): string {
  return closeMarkdown(defuse(text, redact, maxLength));
}

export function containLine(text: string, redact: Redact, maxLength: number): string {
  return neutraliseLine(defuse(text.replace(/\s+/g, ' '), redact, maxLength));
}

/** Code stays as it is, since it may become a commit; null where it cannot be shown so. */
export function keepCode(code: string, redact: Redact, maxLength: number): string | null {
  const isClean = code.length <= maxLength && stripHidden(code).text === code && redact(code) === code;
  const isForged = /mergexo-(?:meta|action):|\/mergexo\b/i.test(code) || code.search(KEY) >= 0;
  return isClean && !isForged ? code : null;
}

export function containCode(code: string, redact: Redact, maxLength: number): string {
  return fenceCode(keepCode(code, redact, maxLength) ?? defuse(code, redact, maxLength), '');
}

/** The fence is longer than any run of backticks in the code, so that the code cannot close it. */
export function fenceCode(code: string, language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return `${fence}${language}\n${code.replace(/\n$/, '')}\n${fence}`;
}

export function spanCode(text: string): string {
  const mark = '`'.repeat(longestRun(text) + 1);
  const gap = /^`|`$/.test(text) ? ' ' : '';
  return `${mark}${gap}${text}${gap}${mark}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, { length }) => Math.max(longest, length), 0);
}

/** Hidden characters go first: they could part a secret, so that nobody would know it as one. */
function defuse(text: string, redact: Redact, maxLength: number): string {
  const clean = redact(stripHidden(text).text)
    .trim()
    .replace(/\n{3,}/g, '\n\n');
  return neutraliseText(clip(clean, maxLength))
    .replace(FOLD, `<${JOINER}`)
    .replace(KEY, `$&${JOINER}`)
    .replace(KEY_LINE, `$1${JOINER}`);
}

function clip(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')} …`;
}

import { closeMarkdown } from '../markdown/close-markdown.js';
import { JOINER } from '../markdown/show-html.js';
import { stripHidden } from '../sanitise/strip-hidden.js';
import { hasCommand, neutraliseLine, neutraliseText } from '../text/neutralise.js';
import type { Redact } from '../text/secrets/redact.js';

/** Keys of the result block that scripts read. No other text in a review may contain them. */
const KEY = /REVIEW(?=_RESULT)|(?:FINDINGS|REFUTED)(?=_COUNT)|BLOCKING(?=_ISSUES)/gi;
const KEY_LINE = /^([^\p{L}\n]{0,40}S)(?=(?:EVERITY|UMMARY)[^\p{L}\p{N}\n]{0,5}:)/gimu;
/** Matches HTML that would close the collapsed section around the text. */
const FOLD = /<(?=\/?(?:details|summary)\b)/gi;

/**
 * Makes an agent's text safe inside a post: no mentions, closing keywords, commands, hidden text or verdicts, and no
 * open Markdown.
 */
export function containText(text: string, redact: Redact, maxLength: number): string {
  return closeMarkdown(defuse(text, redact, maxLength));
}

export function containLine(text: string, redact: Redact, maxLength: number): string {
  // A secret that line breaks split would not be found after the line breaks became blanks.
  const clean = redact(stripHidden(text).text);
  return neutraliseLine(defuse(clean.replace(/\s+/g, ' '), redact, maxLength));
}

/**
 * Returns the code unchanged, because a suggestion may become a commit; null if the code must not be posted as it is.
 */
export function keepCode(code: string, redact: Redact, maxLength: number): string | null {
  const isClean = code.length <= maxLength && stripHidden(code).text === code && redact(code) === code;
  const isForged =
    /mergexo-(?:meta|action):|\/mergexo\b/i.test(code) || code.search(KEY) >= 0 || hasCommand(code);
  return isClean && !isForged ? code : null;
}

export function containCode(code: string, redact: Redact, maxLength: number): string {
  return fenceCode(keepCode(code, redact, maxLength) ?? defuse(code, redact, maxLength), '');
}

/** Uses a fence longer than any run of backticks in the code, so that the code cannot close the fence. */
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

/** Removes hidden characters before redaction, because they could split a secret. */
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

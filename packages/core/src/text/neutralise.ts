import { closeMarkdown } from '../markdown/close-markdown.js';
import { JOINER, showHtml } from '../markdown/show-html.js';
import { breakReferences } from './break-references.js';
import type { Redact } from './secrets/redact.js';

/**
 * Matches the start of a line with a command for MergeXO or for other bots, such as `/approve`, `!deploy` and `bors r+`.
 * Allows any whitespace that JavaScript trims, because trimming the text must not reveal a command.
 */
const COMMAND =
  /^((?:[^\S\n\r\u2028\u2029]|[>*+-])*)(?=\/mergexo\b|\/[a-z][^\s/]{0,100}(?:\s|$)|![a-z]|bors[ \t])/gim;
/** Like `COMMAND`, but does not match code that starts with a negation. */
const COMMAND_IN_CODE =
  /^[^\S\n\r\u2028\u2029]*(?:\/[a-z][^\s/]{0,100}(?:\s|$)|![a-z][\w-]{0,60}(?:[ \t]{1,20}[\w-]|[ \t]{0,20}$)|bors[ \t])/im;
/** Matches trailers that name people, control checks or belong to MergeXO. A squash merge can also copy them from a pull request's body. */
const TRAILER =
  /^([ \t]{0,3}(?:[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){0,20}-by|mergexo-[a-z-]{1,40}|skip-checks|request-checks|on-behalf-of|release-as))(?=[ \t]*:)/gim;
/** Matches a request to skip CI, which takes effect anywhere in a commit message. */
const SKIP_CI =
  /\[(?=[ \t]{0,3}(?:(?:skip|no)[ \t_-]{1,3}[a-z]{2,20}|[a-z]{2,20}[ \t_-]{1,3}skip)[ \t]{0,3}\])|\*{3}NO_(?=CI\*{3})/gi;

/** Maximum length of a body: below GitHub's limit, with room for the closing lines that MergeXO adds. */
export const MAX_BODY = 60_000;
/** Maximum length with closing tags and escaped HTML. The lines of MergeXO's signature need less than the rest of GitHub's 65,536. */
const MAX_CLOSED = MAX_BODY + 200;

/**
 * Makes an agent's text safe for GitHub: no closing keywords, mentions, commands, hidden text or MergeXO markers.
 * Readers see no difference. Open Markdown stays open and may affect the lines that follow.
 */
export function neutraliseText(text: string): string {
  return cut(neutralise(text), (words) => words);
}

/** Like `neutraliseText`, but also closes open Markdown, so that MergeXO's own lines can follow after a blank line. */
export function neutraliseMarkdown(text: string): string {
  return cut(neutralise(text), closeMarkdown);
}

/**
 * Redacts text that is already neutral. Without the secret, `x:secret@host` no longer looks like an email address, so
 * its `@` would mention somebody.
 */
export function redactNeutral(text: string, redact: Redact): string {
  return redact(text).replace(/\[redacted\]@(?=[a-z0-9])/gi, `$&${JOINER}`);
}

/** Makes text safe inside one of MergeXO's own lines: the text cannot start a block or HTML. */
export function neutraliseLine(text: string): string {
  const line = showHtml(neutraliseText(text.replace(/\s+/g, ' ')));
  return line.replace(/^(?=`{3}|~{3})/, JOINER);
}

/** True if a line of code is a command for other bots. */
export function hasCommand(code: string): boolean {
  return COMMAND_IN_CODE.test(code);
}

function neutralise(text: string): string {
  return breakReferences(text.replaceAll('\0', '').trim().replaceAll('<!--', `<${JOINER}!--`))
    .replace(COMMAND, `$1${JOINER}`)
    .replace(TRAILER, `$1${JOINER}`)
    .replace(SKIP_CI, (start) => `${start}${JOINER}`)
    .trim();
}

/** Limits the closed text, because closing tags and escaped HTML can make a text much longer. */
function cut(text: string, close: (words: string) => string): string {
  let kept = keep(text, MAX_BODY);
  let closed = close(kept);
  while (closed.length > MAX_CLOSED) {
    kept = keep(kept, Math.floor((0.9 * kept.length * MAX_BODY) / closed.length));
    closed = close(kept);
  }
  if (kept.length === text.length) return closed;
  return `${closed}\n\n_(${text.length - kept.length} more characters omitted)_`;
}

function keep(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(/[\ud800-\udbff]$/, '') : text;
}

/** Makes a one-line title, without characters that a title cannot contain. */
export function neutraliseTitle(text: string, maxLength = 200): string {
  const line = neutraliseText(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')).slice(0, maxLength);
  return line.trim();
}

import { closeMarkdown } from '../markdown/close-markdown.js';
import { JOINER, showHtml } from '../markdown/show-html.js';

const CLOSING =
  /\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(\s{0,3}:?\s{1,3})((?:[\w.-]{1,100}\/[\w.-]{1,100})?#|https:\/\/)(?=\S)/gi;
const MENTION = /(^|[^A-Za-z0-9])@(?=[A-Za-z0-9])/g;
/** The same sign, written so that only a browser reads it. */
const WRITTEN_AT = /&(?=#0{0,7}64;|#x0{0,7}40;|commat;)/gi;
const COMMAND = /^([ \t>*-]{0,20})\/(?=mergexo\b)/gim;

/** GitHub refuses longer bodies; some room is left for our closing lines. */
export const MAX_BODY = 60_000;

/**
 * An agent's words as they may stand on GitHub: they close no issue, call nobody, command nothing, hide nothing and
 * carry no marker of ours. For a reader they look the same. Markdown that they leave open takes in what follows.
 */
export function neutraliseText(text: string): string {
  return cut(neutralise(text), (words) => words);
}

/** Words that end where they end: lines of ours can follow after a blank line. */
export function neutraliseMarkdown(text: string): string {
  return cut(neutralise(text), closeMarkdown);
}

/** Words within a line of ours. They begin no block, and no HTML. */
export function neutraliseLine(text: string): string {
  const line = showHtml(neutraliseText(text.replace(/\s+/g, ' ')));
  return line.replace(/^(?=`{3}|~{3})/, JOINER);
}

function neutralise(text: string): string {
  return text
    .replaceAll('\0', '')
    .replaceAll('<!--', `<${JOINER}!--`)
    .replace(
      CLOSING,
      (_all, word: string, gap: string, reference: string) => `${word}${gap}${JOINER}${split(reference)}`,
    )
    .replace(WRITTEN_AT, `&${JOINER}`)
    .replace(MENTION, `$1@${JOINER}`)
    .replace(COMMAND, `$1${JOINER}/`)
    .trim();
}

function cut(text: string, close: (words: string) => string): string {
  if (text.length <= MAX_BODY) return close(text);
  const kept = text.slice(0, MAX_BODY).replace(/[\ud800-\udbff]$/, '');
  return `${close(kept)}\n\n_(cut: ${text.length - kept.length} more characters)_`;
}

/** One line, without anything that a title cannot hold. */
export function neutraliseTitle(text: string, maxLength = 200): string {
  const line = neutraliseText(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')).slice(0, maxLength);
  return line.trim();
}

function split(reference: string): string {
  return reference.startsWith('https') ? `https${JOINER}://` : reference.replace('#', `#${JOINER}`);
}

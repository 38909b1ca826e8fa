/** Invisible, joins nothing: it only keeps GitHub and our own parsers from seeing more than words in a text. */
export const JOINER = '\u2060';

/** The beginning of any HTML. */
export const HTML_START = /<(?=[A-Za-z/?!])/g;

/** For a reader the text looks the same as its source; a browser finds no HTML in it. */
export function showHtml(text: string): string {
  return text.replace(HTML_START, `<${JOINER}`);
}

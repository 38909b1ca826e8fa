/** An invisible character that breaks up mentions and commands, so that GitHub and our own parsers ignore them. */
export const JOINER = '\u2060';

/** Matches the start of any HTML. */
export const HTML_START = /<(?=[A-Za-z/?!])/g;

/** Escapes HTML so that readers see its source and browsers find no tags. */
export function showHtml(text: string): string {
  return text.replace(HTML_START, `<${JOINER}`);
}

/** Cursor and color sequences. They start with ESC [ or its one-character C1 form. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CURSOR = /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]?/g;
/** Sequences that set titles, create links or write to the clipboard, up to their terminator or the end of the line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const STRING = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)?/g;
/** Other control characters, direction marks and separators, except line breaks. */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Characters that JSON.stringify keeps and that can control a terminal or hide text: C1 controls, direction marks. */
const INVISIBLE_IN_JSON = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Removes control sequences, so that text from GitHub or an agent cannot control the terminal. */
export function toPrintable(text: string): string {
  return text.replaceAll('\t', ' ').replace(STRING, '').replace(CURSOR, '').replace(INVISIBLE, '');
}

/** Joins text into one line, so that it cannot imitate our own output lines. */
export function toLine(text: string, maxLength = 300): string {
  const line = toPrintable(text.replace(/\s+/g, ' ')).trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

/** Escapes the invisible characters in JSON. Its meaning stays the same. */
export function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE_IN_JSON, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

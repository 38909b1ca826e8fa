/** What moves the cursor or colours: with ESC, or with the one character of the C1 set that means the same. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be removed
const CURSOR = /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]?/g;
/** What names windows, makes links or writes to the clipboard, up to its end, or to the end of the line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be removed
const STRING = /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)?/g;
/** Everything else that is not seen, or that turns the text around; the end of a line stays. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const UNSEEN_IN_JSON = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Other people's words as a terminal may get them: nothing in them commands it. */
export function toPrintable(text: string): string {
  return text.replaceAll('\t', ' ').replace(STRING, '').replace(CURSOR, '').replace(UNSEEN, '');
}

/** On one line, so that no text can pass itself off as a line of ours. */
export function toLine(text: string, maxLength = 300): string {
  const line = toPrintable(text.replace(/\s+/g, ' ')).trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}

/** JSON escapes the first 32 characters itself. The value stays the same. */
export function toPrintableJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(UNSEEN_IN_JSON, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

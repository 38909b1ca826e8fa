const OPENING = /^\ufeff?---[ \t]*(\r\n|\n|\r)/;
const CLOSING = /(?:\r\n|\n|\r)---[ \t]*(?=[\r\n]|$)/g;

/** `from` and `to` enclose the lines between the two `---`, including the last line break. */
export type Location =
  | { kind: 'none' }
  | { kind: 'unclosed' }
  | { kind: 'found'; from: number; to: number; newline: string };

export function locateFrontmatter(text: string): Location {
  const [opening, newline] = OPENING.exec(text) ?? [];
  if (opening === undefined || newline === undefined) return { kind: 'none' };
  const closing = new RegExp(CLOSING);
  // The search starts at the line break of the opening line, because an empty block has no other break before its
  // closing line.
  closing.lastIndex = opening.length - newline.length;
  const found = closing.exec(text);
  if (found === null) return { kind: 'unclosed' };
  return { kind: 'found', from: opening.length, to: found.index + found[0].indexOf('-'), newline };
}

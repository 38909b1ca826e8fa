const TRAILER = /^[A-Za-z][A-Za-z0-9-]*: [\x20-\x7e]+$/;

/** Adds the line where git looks for trailers: in the last paragraph if it consists of trailers, otherwise after it. */
export function appendTrailer(message: string, trailer: string): string {
  if (!TRAILER.test(trailer)) throw new Error(`${JSON.stringify(trailer)} is not a trailer`);
  const text = trimBlank(message.replaceAll('\0', '').replaceAll('\r\n', '\n')) || NO_MESSAGE;
  const last = text.slice(text.lastIndexOf('\n\n') + 2);
  const lines = last.split('\n');
  if (lines.includes(trailer)) return `${text}\n`;
  const joins = text.includes('\n\n') && lines.every((line) => TRAILER.test(line));
  return `${text}${joins ? '\n' : '\n\n'}${trailer}\n`;
}

const NO_MESSAGE = 'Change files';
const BLANK = new Set([' ', '\t', '\n']);

/**
 * Removes blanks at both ends. Avoids `trim`, because the message may be bytes decoded as latin1, where a
 * letter can end in a byte that looks like a no-break space. Avoids a regular expression, because a million
 * blanks in the middle would take quadratic time.
 */
function trimBlank(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BLANK.has(text.charAt(start))) start += 1;
  while (end > start && BLANK.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const TRAILER = /^[A-Za-z][A-Za-z0-9-]*: [\x20-\x7e]+$/;

/** Puts the line where git looks for trailers: into the last paragraph if that holds trailers already, else behind it. */
export function appendTrailer(message: string, trailer: string): string {
  if (!TRAILER.test(trailer)) throw new Error(`${JSON.stringify(trailer)} is not a trailer`);
  // Not `trim`: the message may be bytes, where a letter can end in what looks like a no-break space.
  const text =
    message
      .replaceAll('\0', '')
      .replaceAll('\r\n', '\n')
      .replace(/^[ \t\n]+|[ \t\n]+$/g, '') || NO_MESSAGE;
  const last = text.slice(text.lastIndexOf('\n\n') + 2);
  const lines = last.split('\n');
  if (lines.includes(trailer)) return `${text}\n`;
  const joins = text.includes('\n\n') && lines.every((line) => TRAILER.test(line));
  return `${text}${joins ? '\n' : '\n\n'}${trailer}\n`;
}

const NO_MESSAGE = 'Change files';

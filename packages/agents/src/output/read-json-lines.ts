import { StringDecoder } from 'node:string_decoder';
import type { Sink } from './bounded-output.js';

const MAX_LINE = 10 * 1024 * 1024;
/** Far more than a turn prints, and little enough to be read to the end. */
const MAX_TOTAL = 512 * 1024 * 1024;

/** Hands on each line that is a JSON object; anything else is not for us. */
export function readJsonLines(take: (line: object) => void): Sink {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  let total = 0;
  const end = (): void => {
    const line = parse(parts.join(''));
    parts = [];
    length = 0;
    if (line !== undefined) take(line);
  };
  return (chunk) => {
    total += chunk.length;
    const [first = '', ...rest] = decoder.write(chunk).split('\n');
    for (const [index, piece] of [first, ...rest].entries()) {
      if (index > 0) end();
      parts.push(piece);
      length += piece.length;
    }
    return length <= MAX_LINE && total <= MAX_TOTAL;
  };
}

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

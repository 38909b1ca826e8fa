import { StringDecoder } from 'node:string_decoder';
import type { Sink } from './bounded-output.js';
import { parseJson } from './parse-json.js';

const MAX_LINE = 10 * 1024 * 1024;
/** Far more than a turn prints. */
const MAX_TOTAL = 512 * 1024 * 1024;

/** Passes on each line that is a JSON object, and ignores other lines. */
export function readJsonLines(take: (line: object) => void): Sink {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  let total = 0;
  const end = (): void => {
    const line = parseJson(parts.join(''));
    parts = [];
    length = 0;
    if (typeof line === 'object' && line !== null) take(line);
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

import { StringDecoder } from 'node:string_decoder';
import type { Redact } from '@mergexo/core/text';
import type { Sink } from './bounded-output.js';
import { clip, printable } from './printable.js';

/** Parses JSON. Returns undefined for text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MAX_SHOWN_CHARACTERS = 200;

/** Renders a line for the turn's log with the text that the agent printed instead of its answer. */
export function describeNonJson(answer: string, redact: Redact): string {
  // Redacts more text than the log shows, so that the cut does not split a secret.
  const begin = redact(printable(answer.slice(0, 10 * MAX_SHOWN_CHARACTERS)));
  return `The answer of the agent is not one JSON value. It begins: ${clip(begin, MAX_SHOWN_CHARACTERS)}`;
}

const MAX_LINE = 10 * 1024 * 1024;
/** Maximum bytes of output. A turn prints far less. */
const MAX_TOTAL = 512 * 1024 * 1024;

/** Passes each line that is a JSON object to `onLine`, and ignores other lines. */
export function readJsonLines(onLine: (line: object) => void): Sink {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  let total = 0;
  const end = (): void => {
    const line = parseJson(parts.join(''));
    parts = [];
    length = 0;
    if (typeof line === 'object' && line !== null) onLine(line);
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

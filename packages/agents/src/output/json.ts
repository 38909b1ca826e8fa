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
  return `The agent's answer is not a single JSON value. It begins: ${clip(begin, MAX_SHOWN_CHARACTERS)}`;
}

const MAX_LINE = 10 * 1024 * 1024;
/** Maximum bytes of output. A turn prints far less. */
const MAX_TOTAL = 512 * 1024 * 1024;

/**
 * Maximum number of lines that look like an event but are not JSON. Each costs an exception; a turn prints a
 * few at most.
 */
const MAX_BROKEN_LINES = 5_000;

/** A cheap check, because parsing tens of thousands of lines in one chunk would stall the worker. */
const looksLikeEvent = (line: string): boolean => line.startsWith('{') && line.includes('"type"');

/** Passes each line that is a JSON object with a type to `onLine`, and ignores other lines. */
export function readJsonLines(onLine: (line: object) => void): Sink {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  let total = 0;
  let broken = 0;
  const end = (): void => {
    if (parts.length === 0) return;
    const text = parts.join('').trim();
    parts = [];
    length = 0;
    if (!looksLikeEvent(text) || broken > MAX_BROKEN_LINES) return;
    const line = parseJson(text);
    if (typeof line === 'object' && line !== null) onLine(line);
    else broken += 1;
  };
  return (chunk) => {
    total += chunk.length;
    for (const [index, piece] of decoder.write(chunk).split('\n').entries()) {
      if (index > 0) end();
      if (piece === '') continue;
      parts.push(piece);
      length += piece.length;
    }
    return length <= MAX_LINE && total <= MAX_TOTAL && broken <= MAX_BROKEN_LINES;
  };
}

import type { Redact } from '@mergexo/core/text';
import { collectTail, type Sink } from './bounded-output.js';

/** Removes control codes, because they would affect the reader's terminal and could hide a secret from redaction. */
export function printable(text: string): string {
  return text
    .replace(/[^\P{Cc}\n\t\r](?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[()][0-9A-Za-z])/gu, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '');
}

/** The end of a program's output, safe for a log, a comment or a prompt. */
export function quoteEnd(text: string, maxCharacters: number, redact: Redact): string {
  const clean = redact(printable(text));
  if (clean.length <= maxCharacters) return clean;
  return `…${clean.slice(1 - maxCharacters).replace(/^[\udc00-\udfff]/, '')}`;
}

/** Collects a program's output for `quoteEnd`. Keeps twice as much, so that the cut does not split a secret. */
export function collectQuote(maxCharacters: number, redact: Redact): { sink: Sink; quote(): string } {
  const tail = collectTail(2 * maxCharacters);
  return { sink: tail.sink, quote: () => quoteEnd(tail.text(), maxCharacters, redact) };
}

/** The beginning of a text, without control codes. */
export function clip(text: string, maxCharacters: number): string {
  const clean = printable(text);
  return clean.length <= maxCharacters
    ? clean
    : `${clean.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

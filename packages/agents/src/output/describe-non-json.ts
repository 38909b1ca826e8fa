import type { Redact } from '@mergexo/core/text';
import { clip, printable } from './printable.js';

const MAX_SHOWN_CHARACTERS = 200;

/** A line for the log of the turn, so that a person sees what the agent printed instead of its answer. */
export function describeNonJson(answer: string, redact: Redact): string {
  // More than is shown is redacted, so that the cut does not go through a secret.
  const begin = redact(printable(answer.slice(0, 10 * MAX_SHOWN_CHARACTERS)));
  return `The answer of the agent is not one JSON value. It begins: ${clip(begin, MAX_SHOWN_CHARACTERS)}`;
}

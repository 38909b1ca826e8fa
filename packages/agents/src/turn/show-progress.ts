import type { Redact } from '@mergexo/core/text';
import { clip, printable } from '../output/printable.js';
import type { AgentEvent, ProgressStep } from './agent.js';

const MAX_TEXT = 500;
const MAX_EVENTS = 2_000;

export type ShowProgress = (step: ProgressStep, text: string) => void;

/** Limits the number and the length of progress events. */
export function createProgress(
  onEvent: ((event: AgentEvent) => void) | undefined,
  redact: Redact,
): ShowProgress {
  let left = MAX_EVENTS;
  return (step, text) => {
    if (left <= 0) return;
    left -= 1;
    // Shortens the text before redaction, because redacting megabytes would be slow.
    onEvent?.({
      kind: 'progress',
      step,
      text: clip(redact(printable(text.slice(0, 8 * MAX_TEXT))), MAX_TEXT),
    });
  };
}

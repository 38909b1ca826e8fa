import { readStep } from '../facts/list-steps.js';

export type FoldedSteps = { at: number; steps: readonly string[]; count: number };

const SHOWN = 4;

/** Merges consecutive agent steps into one entry that keeps the last few steps. Other events are unchanged. */
export function foldSteps<Event extends { type: string; createdAt: number; payload: unknown }>(
  events: readonly Event[],
): (Event | FoldedSteps)[] {
  const folded: (Event | FoldedSteps)[] = [];
  for (const event of events) {
    if (event.type !== 'turn_progress') {
      folded.push(event);
      continue;
    }
    const last = folded.at(-1);
    const text = readStep(event.payload);
    if (last === undefined || !('steps' in last))
      folded.push({ at: event.createdAt, steps: [text], count: 1 });
    else
      folded[folded.length - 1] = {
        at: last.at,
        steps: [...last.steps, text].slice(-SHOWN),
        count: last.count + 1,
      };
  }
  return folded;
}

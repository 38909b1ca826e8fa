import { fence } from './fence.js';

/** What a conversation leaves behind; `previous` is told to one that knows nothing yet. */
export function renderStateSummary(previous: string | null): string {
  return [REQUEST, ...renderPrevious(previous)].join('\n\n');
}

const REQUEST =
  'state_summary is all that a later conversation may know. Write it anew each time, short: what was decided and why, ' +
  'what is done, what is open, what people asked for, what was tried and failed.';

function renderPrevious(previous: string | null): string[] {
  if (previous === null) return [];
  return [
    'This is a new conversation. What was noted at the end of the last one:',
    fence('STATE SUMMARY', previous),
  ];
}

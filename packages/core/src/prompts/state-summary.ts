import { fence } from './fence.js';

/** Asks for a summary for later conversations. `previous` is the last summary; null if the conversation continues. */
export function renderStateSummary(previous: string | null): string {
  return [REQUEST, ...renderPrevious(previous)].join('\n\n');
}

const REQUEST =
  'A later conversation may start with nothing but state_summary. Rewrite it each time and keep it short: decisions and their ' +
  'reasons, what is done, what is open, what people asked for, what was tried and failed.';

function renderPrevious(previous: string | null): string[] {
  if (previous === null) return [];
  return ['This is a new conversation. The last one left these notes:', fence('STATE SUMMARY', previous)];
}

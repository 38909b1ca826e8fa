import { type Part, quote } from './part.js';

/** Asks for a summary for later conversations. `previous` is the last summary; null if the conversation continues. */
export function renderStateSummary(previous: string | null): Part[] {
  return [REQUEST, ...renderPrevious(previous)];
}

const REQUEST =
  'Write a short, complete state_summary: a later conversation may start with only that field. List decisions and their ' +
  'reasons, finished work, open work, requests from people and failed attempts.';

function renderPrevious(previous: string | null): Part[] {
  if (previous === null) return [];
  return [
    'This is a new conversation. The previous one left these notes:',
    quote('task', 'STATE SUMMARY', previous),
  ];
}

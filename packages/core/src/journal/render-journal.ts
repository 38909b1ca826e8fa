import type { Journal } from './journal.js';

/** Renders a journal as one JSON value per line. */
export function renderJournal({ header, entries }: Journal): string {
  return [header, ...entries].map((value) => `${JSON.stringify(value)}\n`).join('');
}

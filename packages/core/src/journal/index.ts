export { buildJournal } from './build-journal.js';
export { type Journal, JournalEntry, JournalHeader } from './journal.js';
export type { JournalRows } from './journal-rows.js';
export { parseJournal } from './parse-journal.js';
export { renderJournal } from './render-journal.js';

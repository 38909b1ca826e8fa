import { removeComments } from './remove-comments.js';
import { stripHidden } from './strip-hidden.js';

/**
 * Sanitises Markdown written by people: removes hidden characters and HTML comments, and notes how much was removed.
 * Keeps HTML tags, their attributes, and the texts of links and images as plain text. Idempotent.
 */
export function sanitiseText(text: string): string {
  const { text: stripped, removed } = stripHidden(text);
  return note(removeComments(stripped, removed === 0), removed);
}

/** Sanitises program output or code, where comments are visible and stay. */
export function sanitiseOutput(text: string): string {
  const { text: stripped, removed } = stripHidden(text);
  return note(stripped, removed);
}

/** Sanitises a title, a name or a path, which GitHub displays as plain text on one line. */
export function sanitiseLine(text: string): string {
  return stripHidden(text).text.replace(/[\n\t]/g, ' ');
}

function note(text: string, removed: number): string {
  return removed === 0 ? text : `${text}\n[hidden characters removed: ${removed}]`;
}

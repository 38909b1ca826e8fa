import { removeComments } from './remove-comments.js';
import { stripHidden } from './strip-hidden.js';

/**
 * What people wrote in Markdown, without anything that they cannot see on GitHub; a note says how much is gone. HTML tags,
 * their attributes and the texts of links and images stay, as plain text. Doing it twice changes nothing.
 */
export function sanitiseText(text: string): string {
  const { text: stripped, removed } = stripHidden(text);
  return note(removeComments(stripped, removed === 0), removed);
}

/** What a program printed, or code: comments in it are meant to be seen. */
export function sanitiseOutput(text: string): string {
  const { text: stripped, removed } = stripHidden(text);
  return note(stripped, removed);
}

/** A title, a name or a path: shown by GitHub as it is, and always one line. */
export function sanitiseLine(text: string): string {
  return stripHidden(text).text.replace(/[\n\t]/g, ' ');
}

function note(text: string, removed: number): string {
  return removed === 0 ? text : `${text}\n[hidden characters removed: ${removed}]`;
}

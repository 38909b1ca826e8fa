import { neutraliseText } from '../text/index.js';
import { parseCommand } from './parse-command.js';

/**
 * Renders a paragraph that lists the ignored commands of a comment: all commands after the first. Empty if there are
 * none.
 */
export function renderIgnoredCommands(body: string): string {
  const ignored = parseCommand(body)?.ignored ?? [];
  if (ignored.length === 0) return '';
  const names = ignored.slice(0, 5).map((words) => {
    const shown = `/mergexo ${neutraliseText(words).replaceAll('`', "'")}`;
    return `\`${shown.trim()}\``;
  });
  return `\n\nMergeXO runs only the first command in a comment, so it ignored ${names.join(', ')}. Post each ignored command in a separate comment.`;
}

import { neutraliseText } from './neutralise.js';

/** Formats a file or branch name as inline code. No name can end the code or start a new line. */
export function quoteName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  return `\`${neutraliseText(line).replaceAll('`', "'")}\``;
}

import { neutraliseText } from './neutralise.js';

/** The name of a file or branch as code in our own words. Whatever is in it: it ends no code and begins no line. */
export function quoteName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  return `\`${neutraliseText(line).replaceAll('`', "'")}\``;
}

import { sanitiseLine, sanitiseOutput } from '../sanitise/sanitise-text.js';

const MAX_LINE = 300;
/** Maximum length of the number after a closing line, with its parentheses. No text needs a longer number. */
const MAX_DIGITS = 16;

/** Fences a short list or a piece of program output. Longer text belongs in a quote, which can be cut. */
export function fenceOutput(name: string, text: string): string {
  return enclose(name, sanitiseOutput(text).trimEnd());
}

/**
 * Encloses sanitised text. The closing line never occurs in the text, so the text cannot close its own fence. `note`
 * describes how the text was cut.
 */
export function enclose(name: string, text: string, note = ''): string {
  const mark = oneLine(name);
  const line = `END ${mark}`;
  const end = text.includes(line) ? `${line} (${findFreeNumber(text, line)})` : line;
  return `BEGIN${end.slice('END'.length)}${note}\n${note === '' ? text : text.trimEnd()}\n${end}`;
}

/** Returns the first number whose closing line does not occur in the text. */
function findFreeNumber(text: string, line: string): number {
  const taken = new Set<string>();
  for (let from = text.indexOf(line); from >= 0; from = text.indexOf(line, from + line.length)) {
    const after = text.slice(from + line.length, from + line.length + MAX_DIGITS);
    taken.add(/^ \((\d+)\)/.exec(after)?.[1] ?? '');
  }
  for (let number = 2; ; number += 1) if (!taken.has(String(number))) return number;
}

/** Puts a title, name or path into one line of the prompt. */
export function oneLine(text: string): string {
  const line = sanitiseLine(text).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

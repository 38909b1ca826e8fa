import { sanitiseLine, sanitiseOutput, sanitiseText } from '../sanitise/sanitise-text.js';

const MAX_LINE = 300;

/** Fences text written by people. The closing line never occurs in the text, so the text cannot close its own fence. */
export function fence(name: string, text: string): string {
  return enclose(name, sanitiseText(text));
}

/** Fences an issue or a pull request. Sanitises the title separately, because GitHub displays it as plain text. */
export function fencePost(name: string, { title, body }: { title: string; body: string }): string {
  return enclose(name, `${oneLine(title)}\n\n${sanitiseText(body)}`);
}

/** Fences program output or code. */
export function fenceOutput(name: string, text: string): string {
  return enclose(name, sanitiseOutput(text));
}

function enclose(name: string, text: string): string {
  const mark = oneLine(name);
  const tail = '+'.repeat(countTail(text, `END ${mark}`));
  return `BEGIN ${mark}${tail}\n${text}\nEND ${mark}${tail}`;
}

/** Returns how many pluses make the closing line unique: one more than in any line of the text that looks like it. */
function countTail(text: string, line: string): number {
  let [longest, from] = [0, text.indexOf(line)];
  while (from >= 0) {
    const start = from + line.length;
    let end = start;
    while (text.charAt(end) === '+') end += 1;
    longest = Math.max(longest, end - start + 1);
    from = text.indexOf(line, end);
  }
  return longest;
}

/** Puts a title, name or path into one line of the prompt. */
export function oneLine(text: string): string {
  const line = sanitiseLine(text).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

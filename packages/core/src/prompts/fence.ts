import { sanitiseLine, sanitiseOutput, sanitiseText } from '../sanitise/sanitise-text.js';

const MAX_LINE = 300;

/** What people wrote. It cannot close its own fence: the closing line is made so that it does not occur in it. */
export function fence(name: string, text: string): string {
  return enclose(name, sanitiseText(text));
}

/** An issue or a pull request. The title is made clean apart: GitHub shows it as it is, and it hides nothing below it. */
export function fencePost(name: string, { title, body }: { title: string; body: string }): string {
  return enclose(name, `${oneLine(title)}\n\n${sanitiseText(body)}`);
}

/** What a program printed, or code. */
export function fenceOutput(name: string, text: string): string {
  return enclose(name, sanitiseOutput(text));
}

function enclose(name: string, text: string): string {
  const mark = oneLine(name);
  const tail = '+'.repeat(countTail(text, `END ${mark}`));
  return `BEGIN ${mark}${tail}\n${text}\nEND ${mark}${tail}`;
}

/** One more plus than the longest run of them that the text has behind such a line. */
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

/** A title, a name or a path in a line of ours. */
export function oneLine(text: string): string {
  const line = sanitiseLine(text).replace(/\s+/g, ' ').trim();
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).replace(/[\ud800-\udbff]$/, '')}…`;
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** One line of a job's log. `isError` is true for lines that GitHub Actions itself marked as errors. */
export type LogLine = { text: string; isError: boolean };

/** Maximum length of a line. Longer lines are minified code or data, which would slow down the patterns. */
const MAX_LINE = 500;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z ?/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character starts a color or a cursor movement.
const COLOR = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
const MARK = /^##\[(\w+)\]/;

/** Splits a log into lines. Removes timestamps, colors and the markers of GitHub Actions. */
export function readLog(log: string): LogLine[] {
  const lines = log.replace(/^\ufeff/, '').split(/\r?\n/);
  while (lines.at(-1)?.trim() === '') lines.pop();
  return lines.flatMap((line) => toLine(line) ?? []);
}

function toLine(line: string): LogLine | undefined {
  const plain = line.replace(TIME, '').replace(COLOR, '');
  const [mark = '', name] = MARK.exec(plain) ?? [];
  if (name === 'endgroup') return undefined;
  const isError = name === 'error';
  return { text: `${isError ? 'Error: ' : ''}${cut(plain.slice(mark.length).trimEnd())}`, isError };
}

function cut(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE).replace(/[\ud800-\udbff]$/, '')}…`;
}

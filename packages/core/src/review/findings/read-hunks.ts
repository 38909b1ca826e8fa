/** What stands on each line of the new file that the diff shows: the lines that GitHub takes a comment on. */
export type PatchLines = ReadonlyMap<number, string>;

/** The same by path. Deleted, binary and merely renamed files show no line of a new file and are not in it. */
export type DiffLines = ReadonlyMap<string, PatchLines>;

/** GitHub shows no more of a diff than this. What lies beyond cannot carry a comment there. */
const MAX_CHARACTERS = 1_000_000;
const MAX_LINES = 20_000;

const HUNK = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** Of `git diff` with its usual prefixes, `a/` and `b/`. */
export function readHunks(diff: string): DiffLines {
  const files = new Map<string, Map<number, string>>();
  const lines = splitLines(diff);
  let path: string | undefined;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const hunk = HUNK.exec(line);
    if (line.startsWith('+++ ')) path = readNewPath(line.slice('+++ '.length));
    const shown = files.get(path ?? '') ?? new Map<number, string>();
    at = hunk === null ? at + 1 : passHunk(lines, at + 1, hunk, shown);
    if (path !== undefined && shown.size > 0) files.set(path, shown);
  }
  return files;
}

/** Of one file, as GitHub's `patch` has it: hunks alone. */
export function readPatch(patch: string): PatchLines {
  const shown = new Map<number, string>();
  const lines = splitLines(patch);
  for (let at = 0; at < lines.length; ) {
    const hunk = HUNK.exec(lines[at] ?? '');
    at = hunk === null ? at + 1 : passHunk(lines, at + 1, hunk, shown);
  }
  return shown;
}

function splitLines(text: string): string[] {
  const lines = text.slice(0, MAX_CHARACTERS).split('\n', MAX_LINES);
  // A line that was cut in two is not what the file says.
  return text.length > MAX_CHARACTERS && lines.length < MAX_LINES ? lines.slice(0, -1) : lines;
}

/**
 * Reads as many lines as the header announces, whatever they look like: a removed line `-- a/x` reads `--- a/x`. Gives
 * the place behind the hunk.
 */
function passHunk(
  lines: readonly string[],
  from: number,
  [, oldCount = '1', start = '0', newCount = '1']: RegExpExecArray,
  shown: Map<number, string>,
): number {
  let [oldLeft, newLeft, line, at] = [Number(oldCount), Number(newCount), Number(start), from];
  for (; at < lines.length && (oldLeft > 0 || newLeft > 0); at += 1) {
    const text = lines[at] ?? '';
    const mark = text.charAt(0);
    if (mark === '\\') continue;
    // Some tools strip the blank of an empty line, so that it has no mark.
    if (!['+', '-', ' ', ''].includes(mark)) break;
    if (mark !== '+') oldLeft -= 1;
    if (mark === '-') continue;
    shown.set(line, text.slice(1));
    newLeft -= 1;
    line += 1;
  }
  return at;
}

/** Git ends a name that has a space with a tab, and quotes one that has odder characters. */
function readNewPath(name: string): string | undefined {
  const plain = /^"(.*)"$/.exec(name)?.[1];
  const path = plain === undefined ? name.replace(/\t$/, '') : unquote(plain);
  return path.startsWith('b/') ? path.slice('b/'.length) : undefined;
}

const ESCAPE = /\\([0-7]{3}|.)/g;
const ESCAPED: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
};

/** The escapes stand for bytes, several of which may be one character. */
function unquote(name: string): string {
  const bytes: Buffer[] = [];
  let from = 0;
  for (const { 0: all, 1: code = '', index } of name.matchAll(ESCAPE)) {
    const byte = /^\d/.test(code)
      ? Buffer.from([Number.parseInt(code, 8)])
      : Buffer.from(ESCAPED[code] ?? code);
    bytes.push(Buffer.from(name.slice(from, index)), byte);
    from = index + all.length;
  }
  return Buffer.concat([...bytes, Buffer.from(name.slice(from))]).toString();
}

/** The text of each line in the diff, by its number in the new file. GitHub accepts comments only on these lines. */
export type PatchLines = ReadonlyMap<number, string>;

/** Lines by path. Deleted, binary and purely renamed files have no entry. */
export type DiffLines = ReadonlyMap<string, PatchLines>;

/** Maximum size of a diff that GitHub displays. Later lines cannot have a comment. */
const MAX_CHARACTERS = 1_000_000;
const MAX_LINES = 20_000;

const HUNK = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** Reads the output of `git diff` with its default prefixes, `a/` and `b/`. */
export function readHunks(diff: string): DiffLines {
  const files = new Map<string, Map<number, string>>();
  const lines = splitLines(diff);
  let path: string | undefined;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const hunk = HUNK.exec(line);
    if (line.startsWith('+++ ')) path = readNewPath(line.slice('+++ '.length));
    const shown = files.get(path ?? '') ?? new Map<number, string>();
    at = hunk === null ? at + 1 : readHunk(lines, { from: at + 1, header: hunk, shown });
    if (path !== undefined && shown.size > 0) files.set(path, shown);
  }
  return files;
}

/** Reads the hunks of one file, as in GitHub's `patch`. */
export function readPatch(patch: string): PatchLines {
  const shown = new Map<number, string>();
  const lines = splitLines(patch);
  for (let at = 0; at < lines.length; ) {
    const hunk = HUNK.exec(lines[at] ?? '');
    at = hunk === null ? at + 1 : readHunk(lines, { from: at + 1, header: hunk, shown });
  }
  return shown;
}

function splitLines(text: string): string[] {
  const lines = text.slice(0, MAX_CHARACTERS).split('\n', MAX_LINES);
  // Drops the last line if the limit cut it in two.
  return text.length > MAX_CHARACTERS && lines.length < MAX_LINES ? lines.slice(0, -1) : lines;
}

/**
 * Reads as many lines as the header announces, because a removed line `-- a/x` looks like a file header. Returns the
 * position after the hunk.
 */
function readHunk(
  lines: readonly string[],
  { from, header, shown }: { from: number; header: RegExpExecArray; shown: Map<number, string> },
): number {
  const [, oldCount = '1', start = '0', newCount = '1'] = header;
  let [oldLeft, newLeft, line, at] = [Number(oldCount), Number(newCount), Number(start), from];
  for (; at < lines.length && (oldLeft > 0 || newLeft > 0); at += 1) {
    const text = lines[at] ?? '';
    const mark = text.charAt(0);
    if (mark === '\\') continue;
    // Accepts an empty line, because some tools strip its leading space.
    if (!['+', '-', ' ', ''].includes(mark)) break;
    if (mark !== '+') oldLeft -= 1;
    if (mark === '-') continue;
    shown.set(line, text.slice(1));
    newLeft -= 1;
    line += 1;
  }
  return at;
}

/** Reads the path after `+++`. Git adds a tab after a name with a space, and quotes a name with unusual characters. */
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

/** Decodes a quoted name. Each escape is one byte, and a character may consist of several bytes. */
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

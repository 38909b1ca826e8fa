import { repoPath } from '../agent/texts.js';

const MAX_FRONTMATTER_LINES = 1_000;
const MAX_PATHS = 200;

export type DocumentParts = { frontmatter: readonly string[]; body: string };

/** The block between the `---` lines at the top, and what follows. A block that is not closed is none. */
export function splitDocument(text: string): DocumentParts {
  const plain = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  if (!/^---[ \t]*\n/.test(plain)) return { frontmatter: [], body: plain };
  const lines = plain.split('\n');
  const end = lines.slice(1, MAX_FRONTMATTER_LINES).findIndex((line) => line.trimEnd() === '---');
  if (end < 0) return { frontmatter: [], body: plain };
  return {
    frontmatter: lines.slice(1, end + 1),
    body: lines
      .slice(end + 2)
      .join('\n')
      .trimStart(),
  };
}

/** As we write it, one item to a line, or as people may rewrite it, in brackets. What is no path is left out. */
export function readTouchPaths(frontmatter: readonly string[]): string[] {
  const start = frontmatter.findIndex((line) => line.startsWith('touch_paths:'));
  if (start < 0) return [];
  const rest = (frontmatter[start] ?? '').slice('touch_paths:'.length).trim();
  const inline = /^\[(.*)\]$/.exec(rest)?.[1];
  const items = inline === undefined ? listItems(frontmatter.slice(start + 1)) : inline.split(',');
  return items
    .map((item) => unquote(item.trim()))
    .filter((path) => repoPath().safeParse(path).success)
    .slice(0, MAX_PATHS);
}

function listItems(lines: readonly string[]): string[] {
  const end = lines.findIndex((line) => !/^\s*(?:-\s|#|$)/.test(line));
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .flatMap((line) => /^\s*-\s+(.*)$/.exec(line)?.[1] ?? []);
}

function unquote(item: string): string {
  if (/^".*"$/.test(item)) return readJson(item);
  if (/^'.*'$/.test(item)) return item.slice(1, -1).replaceAll("''", "'");
  return item.replace(/\s#.*$/, '');
}

function readJson(item: string): string {
  try {
    const value: unknown = JSON.parse(item);
    return typeof value === 'string' ? value : '';
  } catch {
    return item.slice(1, -1);
  }
}

/** The text below the headings of these names, up to the next heading of the same rank; null where there is none. */
export function readSection(markdown: string, names: readonly string[]): string | null {
  const found: string[] = [];
  let rank = 0;
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (/^ {0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? null : /^(#{1,6})[ \t]+(.*)$/.exec(line);
    const level = heading?.[1]?.length ?? 0;
    if (heading !== null && (rank === 0 || level <= rank)) {
      rank = names.includes(nameOf(heading[2] ?? '')) ? level : 0;
      continue;
    }
    if (rank > 0) found.push(line);
  }
  const text = found.join('\n').trim();
  return text === '' ? null : text;
}

/** `2.2 Non-Goals (initially):` is called `non goals`. */
function nameOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\(.*$/, '')
    .replace(/^[\d.]+/, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

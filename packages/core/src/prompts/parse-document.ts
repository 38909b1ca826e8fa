import { isMap, parseDocument } from 'yaml';
import { repoPath } from '../agent/texts.js';
import { findHazards } from '../frontmatter/find-hazards.js';

const MAX_FRONTMATTER_LINES = 1_000;
const MAX_PATHS = 200;

export type DocumentParts = { frontmatter: readonly string[]; body: string };

/**
 * Splits a document into the frontmatter between `---` lines and the text below. An unclosed block is not frontmatter.
 */
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

/**
 * Returns the valid `touch_paths`, even if another frontmatter key is invalid. Returns an empty list for invalid YAML.
 */
export function parseTouchPaths(frontmatter: readonly string[]): string[] {
  const yaml = frontmatter.join('\n');
  if (findHazards(yaml).length > 0) return [];
  const document = parseDocument(yaml, { logLevel: 'silent', schema: 'core' });
  if (document.errors.length > 0 || !isMap(document.contents)) return [];
  return [Object(document.toJS())['touch_paths']]
    .flat()
    .filter((path) => repoPath().safeParse(path).success)
    .slice(0, MAX_PATHS);
}

/**
 * Returns the text below headings with these names, up to the next heading of the same or a higher level. Returns null
 * if there is no such text.
 */
export function parseSection(markdown: string, names: readonly string[]): string | null {
  const found: string[] = [];
  let rank = 0;
  let isInCodeBlock = false;
  for (const line of markdown.split('\n')) {
    if (/^ {0,3}(?:```|~~~)/.test(line)) isInCodeBlock = !isInCodeBlock;
    const heading = isInCodeBlock ? null : /^(#{1,6})[ \t](.*)/s.exec(line);
    const level = heading?.[1]?.length ?? 0;
    if (heading !== null && (rank === 0 || level <= rank)) {
      rank = names.includes(normaliseHeading(heading[2] ?? '')) ? level : 0;
      continue;
    }
    if (rank > 0) found.push(line);
  }
  const text = found.join('\n').trim();
  return text === '' ? null : text;
}

/** Normalises a heading: `2.2 Non-Goals (initially):` becomes `non goals`. */
function normaliseHeading(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\(.*/s, '')
    .trimStart()
    .replace(/^[\d.]+/, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

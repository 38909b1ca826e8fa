import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { findHazards, type Hazard } from './find-hazards.js';
import { Frontmatter } from './frontmatter.js';
import { locateFrontmatter } from './locate-frontmatter.js';

const MAX_CHARACTERS = 16 * 1024;
const MAX_PROBLEMS = 10;
const FORBIDDEN_KEYS: readonly unknown[] = ['__proto__', 'constructor', 'prototype', '<<'];

/** Each problem names its place, cause and correction, for a person who can edit the document. */
export type ParsedFrontmatter =
  | { kind: 'none' }
  | { kind: 'parsed'; frontmatter: Frontmatter }
  | { kind: 'invalid'; problems: readonly string[] };

/** Parses the frontmatter of an untrusted document. The parser gets only YAML that is short and plain. */
export function parseFrontmatter(text: string): ParsedFrontmatter {
  const location = locateFrontmatter(text);
  if (location.kind === 'none') return { kind: 'none' };
  if (location.kind === 'unclosed') {
    return invalid(['line 1: the block that "---" opens is not closed; add a line "---" below it']);
  }
  const { from, to } = location;
  if (to - from > MAX_CHARACTERS) {
    const length = `${to - from} characters`;
    return invalid([`line 1: the block has ${length}; at most ${MAX_CHARACTERS} are allowed, so shorten it`]);
  }
  const yaml = text.slice(from, to).replace(/\r\n?/g, '\n');
  const hazards = findHazards(yaml);
  return hazards.length > 0 ? invalid(hazards.map(describe)) : readBlock(yaml);
}

function readBlock(yaml: string): ParsedFrontmatter {
  const lines = new LineCounter();
  const document = parseDocument(yaml, {
    lineCounter: lines,
    logLevel: 'silent',
    prettyErrors: false,
    schema: 'core',
    stringKeys: true,
  });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const hazards = document.errors.map(({ code, message, pos }) => ({
    line: lineAt(pos[0]),
    problem: explain(code, message),
  }));
  if (document.contents !== null && !isMap(document.contents)) {
    hazards.push({ line: 1, problem: 'write one "key: value" per line, such as "issue: 12"' });
  }
  hazards.push(...findForbiddenKeys(document, lineAt));
  if (hazards.length > 0) return invalid(hazards.map(describe));

  const read = Frontmatter.safeParse(document.toJS() ?? {});
  if (read.success) return { kind: 'parsed', frontmatter: read.data };
  return invalid(
    read.error.issues.map(({ path, message }) => {
      const key = String(path[0]);
      const node = document.getIn(path, true);
      if (!isNode(node) || !node.range) return `${key} is missing; ${message}`;
      return describe({ line: lineAt(node.range[0]), problem: `${key}: ${message}` });
    }),
  );
}

function explain(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this key appears twice; remove one of them';
  if (code === 'TAB_AS_INDENT') return 'indent with spaces instead of tabs';
  return `this is not valid YAML: ${message}`;
}

function findForbiddenKeys(document: Document, lineAt: (offset: number) => number): Hazard[] {
  const found: Hazard[] = [];
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key) || !FORBIDDEN_KEYS.includes(key.value)) return;
      const line = lineAt(key.range?.[0] ?? 0);
      found.push({ line, problem: 'this name is not allowed as a key; choose another or remove the line' });
    },
  });
  return found;
}

/** Adds 1 for the line that opens the block. */
function describe({ line, problem }: Hazard): string {
  return `line ${line + 1}: ${problem}`;
}

function invalid(problems: readonly string[]): ParsedFrontmatter {
  return { kind: 'invalid', problems: problems.slice(0, MAX_PROBLEMS) };
}

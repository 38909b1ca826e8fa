import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listPages } from './docs/list-pages.js';
import { readProse } from './docs/read-prose.js';
import { REPLACEMENTS } from './docs/replacements.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Removes quotes of MergeXO's output, because other tests check their wording. */
const withoutQuotes = (text: string): string =>
  text.replace(/^ *```[^\n]*\n[\s\S]*?^ *```/gm, '').replace(/^>.*$/gm, '');

/** Finds every listed phrase, as `path: "phrase" → replacement`. */
function findForeignPhrases(path: string, text: string): string[] {
  // A line break inside a sentence must not hide a phrase.
  const flat = withoutQuotes(text).replaceAll('\n', ' ');
  return REPLACEMENTS.flatMap(({ phrase, write }) =>
    [...flat.matchAll(phrase)].map(([found]) => `${path}: "${found.replace(/\s+/g, ' ')}" → ${write}`),
  );
}

const listGitHubFiles = (): string[] =>
  readdirSync(join(ROOT, '.github'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:md|yml)$/.test(name))
    .map((name) => join('.github', name));

const FILES = [
  ...listPages(ROOT),
  ...listGitHubFiles(),
  ...['home', 'team', 'several-hosts'].map((name) => `examples/${name}.toml`),
];

const SOURCES = [
  ...['apps', 'packages'].flatMap((group) =>
    readdirSync(join(ROOT, group)).map((name) => `${group}/${name}/src`),
  ),
  'tests',
];

/** Fixtures and golden files contain other programs' texts. The last two files quote the phrases on purpose. */
const SKIPPED =
  /\/(?:dist|fixtures|generated|golden|migrations)\/|^tests\/(?:voice\.test|docs\/replacements)\.ts$/;

const listSources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => path.endsWith('.ts') && !SKIPPED.test(path))
    .sort();

const findInSource = (path: string, source: string): string[] =>
  readProse(source).flatMap(({ text, line }) => findForeignPhrases(`${path}:${line}`, text));

const findInFolder = (folder: string): string[] =>
  listSources(folder).flatMap((path) => findInSource(path, read(path)));

describe('the docs', () => {
  it.each(FILES)('%s contains no replaced phrase', (path) => {
    expect(findForeignPhrases(path, read(path))).toEqual([]);
  });

  it.each(REPLACEMENTS.map(({ example, write }) => [example, write] as const))(
    'finds "%s" and suggests "%s"',
    (example, write) => {
      expect(findForeignPhrases('x.md', `Before. ${example}. After.`).join()).toContain(write);
    },
  );

  it('finds a phrase across a line break, and ignores quoted output', () => {
    expect(findForeignPhrases('x.md', 'It is told\non the pull request.')).toHaveLength(1);
    expect(findForeignPhrases('x.md', '> everything rests\n\n```\neverything rests\n```\n')).toEqual([]);
  });
});

describe('the check of comments and strings', () => {
  it.each(SOURCES)('%s contains no replaced phrase', (folder) => {
    expect(findInFolder(folder)).toEqual([]);
  });

  it.each([
    ['a comment', '// The run is\n  // told once.\n', 1],
    ['a doc comment', '/**\n * Whoever is\n * next.\n */', 1],
    ['strings', `say('It is told.', "It is told.", \`It \${a} is told.\`);`, 3],
    ['an expression in a template', `say(\`\${mended} is fixed\`);`, 0],
    ['a template in a template', `say(\`<p>\${a ? \`It is told\` : 'mended'}</p>\`);`, 2],
    ['code', 'const mended = meanwhile(whoever);', 0],
    ['a string after a regular expression', `x.replace(/['"]/g, 'mended');`, 1],
    ['a regular expression', 'const pattern = /mended/;', 0],
  ])('finds the expected number of phrases in %s', (_what, source, count) => {
    expect(findInSource('x.ts', source)).toHaveLength(count);
  });

  it('reports the line number of a phrase', () => {
    expect(findInSource('x.ts', "const a = 1;\nsay('mended');")).toEqual(['x.ts:2: "mended" → fix']);
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listMutants } from './security/list-mutants.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');
const [, TABLE = ''] = PAGE.split('\n## Promises and their tests\n');
const NAMED = [...TABLE.matchAll(/\]\(\.\.\/([^)]+\.test\.ts)\)/g)].map(([, path = '']) => path);

const listTests = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path))
    .map((path) => `${folder}/${path}`);

describe('the table of promises in docs/security.md', () => {
  it('names every attack', () => {
    const attacks = ['apps', 'packages', 'tests']
      .flatMap(listTests)
      .filter((path) => path.endsWith('.attack.test.ts'));
    expect(attacks.length).toBeGreaterThan(60);
    expect(attacks.filter((path) => !NAMED.includes(path))).toEqual([]);
  });

  it('names only tests that exist', () => {
    expect(NAMED.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names a test for each promise', () => {
    const rows = TABLE.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Promise'));
    expect(rows.length).toBeGreaterThan(25);
    expect(rows.filter((row) => !row.includes('.test.ts)'))).toEqual([]);
  });
});

describe('the mutants of `npm run test:security:mutants`', () => {
  it.each(listMutants(ROOT))('can be applied: $promise', ({ file, search, replacement, suite }) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    expect(source.split(search)).toHaveLength(2);
    expect(replacement).not.toBe(search);
    expect(existsSync(join(ROOT, suite))).toBe(true);
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Guarantee, readGuarantees } from './docs/read-guarantees.js';
import { readProse } from './docs/read-prose.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8');
const GUARANTEES = readGuarantees(PAGE);

/** Lists the texts in a test file. A title with `${…}` is several texts, so a page quotes only its start. */
const TEXTS = new Map<string, readonly string[]>();
function listTexts(path: string): readonly string[] {
  const texts = TEXTS.get(path) ?? readProse(readFileSync(join(ROOT, path), 'utf8')).map(({ text }) => text);
  TEXTS.set(path, texts);
  return texts;
}

function findMissingTests({ id, tests }: Guarantee): string[] {
  return tests
    .filter(
      ({ path, title }) =>
        !/\.test\.ts$/.test(path) ||
        !existsSync(join(ROOT, path)) ||
        !listTexts(path).some((text) => text.startsWith(title)),
    )
    .map(({ path, title }) => `${id}: ${path}: ${title}`);
}

describe('docs/guarantees.md', () => {
  it('gives each promise its own id, with the numbers of a group in order', () => {
    const next = new Map<string, number>();
    for (const { id } of GUARANTEES) {
      const [, group = '', number] = id.split('-');
      const expected = (next.get(group) ?? 0) + 1;
      expect([group, Number(number)]).toEqual([group, expected]);
      next.set(group, expected);
    }
    expect(GUARANTEES.length).toBeGreaterThan(40);
  });

  it('contains no heading or test that `readGuarantees` misses', () => {
    expect(PAGE.match(/^###.*$/gm)).toHaveLength(GUARANTEES.length);
    expect(PAGE.match(/^- /gm)).toHaveLength(GUARANTEES.flatMap(({ tests }) => tests).length);
  });

  it.each(GUARANTEES)('$id states its promise, its limits and at least one test', (guarantee) => {
    const { promise, limits, tests } = guarantee;
    expect(promise.length).toBeGreaterThan(40);
    expect(limits).toMatch(/^[A-Z`[].*\.$/s);
    expect(tests.length).toBeGreaterThan(0);
    expect(findMissingTests(guarantee)).toEqual([]);
  });

  it('contains every id that a judge of random schedules or of crash pairs names', () => {
    const judges = ['tests/search/judges', 'tests/pairs'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(folder, name),
      ),
    );
    const named = judges
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => readFileSync(join(ROOT, path), 'utf8').match(/\bG-[A-Z]+-[0-9]+\b/g) ?? []);
    const ids = new Set(GUARANTEES.map(({ id }) => id));
    expect(new Set(named).size).toBeGreaterThan(10);
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
  });

  it('would fail this test with an unknown file or title', () => {
    const tests = [
      { path: 'tests/guarantees.test.ts', title: 'would fail this test' },
      { path: 'tests/docs.test.ts', title: 'has no such title' },
      { path: 'tests/gone.test.ts', title: 'would fail this test' },
      { path: 'tests/docs/read-prose.ts', title: 'Regular expressions' },
    ];
    const missing = findMissingTests({ id: 'G-X-1', title: '', promise: '', limits: '', tests });
    expect(missing).toEqual([
      'G-X-1: tests/docs.test.ts: has no such title',
      'G-X-1: tests/gone.test.ts: would fail this test',
      'G-X-1: tests/docs/read-prose.ts: Regular expressions',
    ]);
  });
});

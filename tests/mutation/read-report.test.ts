import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSame, readSurvivors } from './known-survivors.js';
import { readReport, scoreOf } from './read-report.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const mutant = (status: string, from: [number, number], to: [number, number]) => ({
  status,
  mutatorName: 'BlockStatement',
  replacement: '{}',
  location: { start: { line: from[0], column: from[1] }, end: { line: to[0], column: to[1] } },
});
const REPORT = JSON.stringify({
  files: {
    'a.ts': {
      source: 'if (x) {\n  y();\n}\nz();\n',
      mutants: [
        mutant('Killed', [1, 5], [1, 6]),
        mutant('Timeout', [1, 5], [1, 6]),
        mutant('Survived', [1, 8], [3, 2]),
        mutant('NoCoverage', [4, 1], [4, 4]),
        mutant('Ignored', [4, 1], [4, 4]),
        mutant('CompileError', [4, 1], [4, 4]),
      ],
    },
  },
});

describe('the report of npm run test:mutants', () => {
  it('counts a timeout as noticed, and code without tests as not noticed', () => {
    const result = readReport(REPORT);
    expect(result.killed).toBe(2);
    expect(result.survivors.map(({ line, code }) => [line, code])).toEqual([
      [1, '{\n  y();\n}'],
      [4, 'z()'],
    ]);
    expect(scoreOf(result)).toBe(50);
    expect(scoreOf({ killed: 0, survivors: [] })).toBe(100);
    expect(scoreOf({ ...result, killed: 2_000 })).toBe(99.9);
  });

  it('recognizes a survivor by its code, wherever the line is', () => {
    const [survivor] = readReport(REPORT).survivors;
    if (survivor === undefined) throw new Error('no survivor');
    const { line: _line, ...known } = { ...survivor, reason: 'no test can notice it' };
    expect(isSame(known, { ...survivor, line: 99 })).toBe(true);
    expect(isSame(known, { ...survivor, replacement: '' })).toBe(false);
  });

  it('names only folders that exist, and survivors whose code still exists', () => {
    const folders: object = JSON.parse(read('mutation/folders.json'));
    expect(Object.keys(folders).filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
    const survivors = readSurvivors(join(ROOT, 'mutation/survivors.json'));
    expect(survivors.filter(({ file, code }) => !read(file).includes(code))).toEqual([]);
  });
});

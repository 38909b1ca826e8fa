import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 60;
const MAX_PARAMETERS = 3;
/** This file may have a function with four parameters, because that is how Express recognizes an error handler. */
const ERROR_HANDLERS = 'apps/dashboard/src/create-app.ts';

type FunctionShape = { line: number; parameters: number; lines: number };
type Node = { type: string; span: { start: number; end: number }; params?: unknown[] };

const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
  'ClassMethod',
  'MethodProperty',
]);

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'span' in value;
}

/**
 * Lists functions and their lengths. Lines of a nested function count only for the nested function, so a function that
 * returns a table of functions is short.
 */
function listFunctions(source: string): FunctionShape[] {
  const bytes = Buffer.from(source);
  // Positions are 1-based byte offsets.
  const lineAt = (position: number): number =>
    bytes
      .subarray(0, position - 1)
      .toString()
      .split('\n').length;
  const found: FunctionShape[] = [];
  const visit = (value: unknown, outer: FunctionShape | undefined): void => {
    if (typeof value !== 'object' || value === null) return;
    let inside = outer;
    if (isNode(value) && FUNCTIONS.has(value.type)) {
      const line = lineAt(value.span.start);
      const lines = lineAt(value.span.end) - line + 1;
      inside = { line, lines, parameters: value.params?.length ?? 0 };
      if (outer !== undefined) outer.lines -= lines - 1;
      found.push(inside);
    }
    for (const child of Object.values(value)) visit(child, inside);
  };
  visit(parseSync(source, { syntax: 'typescript', target: 'es2022' }).body, undefined);
  return found;
}

function listSources(): string[] {
  return ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /^[\w-]+\/src\/.*\.ts$/.test(name) && !name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
}

/** Lists every place that exceeds a limit, as `file:line what`. */
function findBreaches(files: readonly { path: string; source: string }[]): string[] {
  return files.flatMap(({ path, source }) => {
    const lines = source.split('\n').length - 1;
    return [
      ...(lines > MAX_FILE_LINES ? [`${path}:1 has ${lines} lines`] : []),
      ...listFunctions(source).flatMap((shape) => [
        ...(shape.lines > MAX_FUNCTION_LINES ? [`${path}:${shape.line} is ${shape.lines} lines long`] : []),
        ...(shape.parameters > (path === ERROR_HANDLERS ? 4 : MAX_PARAMETERS)
          ? [`${path}:${shape.line} has ${shape.parameters} parameters`]
          : []),
      ]),
    ];
  });
}

describe('the shape check', () => {
  it('finds no file, function or parameter list that is too long', () => {
    const files = listSources().map((path) => ({ path, source: readFileSync(join(ROOT, path), 'utf8') }));
    expect(files.length).toBeGreaterThan(500);
    expect(findBreaches(files)).toEqual([]);
  });

  it.each([
    ['a long file', '// é\n'.repeat(301), ['x.ts:1 has 301 lines']],
    ['a long function', `\nfunction f() {\n${'  g();\n'.repeat(59)}}\n`, ['x.ts:2 is 61 lines long']],
    ['a long method', `const o = {\n  m() {\n${'g();\n'.repeat(59)}  },\n};\n`, ['x.ts:2 is 61 lines long']],
    ['four parameters', '// é\nconst f = (a, b, c, d) => a;\n', ['x.ts:2 has 4 parameters']],
    ['a table of short functions', `const f = () => ({\n${'  a() {\n    g();\n  },\n'.repeat(40)}});\n`, []],
    ['an object parameter', 'function f({ a, b, c, d }, e) {\n}\n', []],
  ])('classifies %s', (_name, source, breaches) =>
    expect(findBreaches([{ path: 'x.ts', source }])).toEqual(breaches),
  );
});

import fc from 'fast-check';
import { compileTouchPath, coversPath, mayOverlap } from './glob.js';

const covers = (pattern: string, path: string): boolean =>
  coversPath(compileTouchPath(pattern), compileTouchPath(path));
const overlap = (a: string, b: string): boolean => mayOverlap(compileTouchPath(a), compileTouchPath(b));

describe('coversPath', () => {
  it.each([
    ['many wildcards', 'src/a*b*c*d*e*.ts'],
    ['a long glob', `src/*${'a'.repeat(80)}`],
  ])('treats %s as a match for any name, because an exact comparison would be slow', (_name, pattern) => {
    expect(covers(pattern, 'src/anything.txt')).toBe(true);
    expect(covers(pattern, 'other/anything.txt')).toBe(false);
  });

  it.each([
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'src/a.tsx', false],
    ['src', 'src/deep/a.ts', true],
    ['src/', 'src/a.ts', true],
    ['./src', 'src/a.ts', true],
    ['src', 'srcs/a.ts', false],
    ['src/a.ts', 'src', false],
    ['src/*', 'src/a.ts', true],
    ['src/*', 'src/deep/a.ts', true],
    ['src/*', 'src', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['src/**/*.ts', 'src/x/y/a.js', false],
    ['**', 'a', true],
    ['**/a.ts', 'a.ts', true],
    ['**/a.ts', 'x/y/a.ts', true],
    ['**/x/**/z', 'a/x/b/c/z', true],
    ['**/x/**/z', 'a/b/c/z', false],
    ['src/**', 'src/a', true],
    ['src/?.ts', 'src/a.ts', true],
    ['src/?.ts', 'src/ab.ts', false],
    ['a?c', 'a/c', false],
    ['a*c', 'a/c', false],
    ['a*b*c', 'a1b2c', true],
    ['a*b*c', 'a1b2', false],
    ['*', 'anything/at/all', true],
    ['.', 'anything', true],
    ['app/[id].tsx', 'app/[id].tsx', true],
    ['app/[id].tsx', 'app/i.tsx', false],
    ['src/{api,db}/x.ts', 'src/api/x.ts', true],
    ['src/{api,db}/x.ts', 'src/api/y.ts', false],
    ['{src/api,lib}/x.ts', 'src/api/x.ts', true],
    ['{{name}}/x.ts', '{{name}}/x.ts', true],
    ['{{name}}/x.ts', 'other/x.ts', false],
    ['src/a+b(c)|d^$.ts', 'src/a+b(c)|d^$.ts', true],
  ])('reports whether %s covers %s: %s', (pattern, path, expected) => {
    expect(covers(pattern, path)).toBe(expected);
  });

  it('covers more, but never less, for paths with more than 32 segments', () => {
    const deep = 'a/'.repeat(32);
    expect(covers(`${deep}b`, `${deep}c`)).toBe(true);
    expect(covers(`${deep}b`, `${deep.slice(2)}c`)).toBe(false);
  });

  it('agrees with a slow reference implementation', () => {
    const letter = fc.constantFrom('a', 'b');
    const name = fc.string({ unit: letter, minLength: 1, maxLength: 4 });
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 4 });
    const join = (parts: string[]): string => parts.join('/');
    const pattern = fc.array(fc.oneof(glob, fc.constant('**')), { minLength: 1, maxLength: 4 }).map(join);
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map(join);
    fc.assert(
      fc.property(pattern, path, (pattern, path) => {
        expect(covers(pattern, path)).toBe(coversSlowly(pattern.split('/'), path.split('/')));
      }),
      { numRuns: 1_000 },
    );
  });

  it('stays fast for adversarial patterns', () => {
    const stars = 'a*'.repeat(250);
    expect(covers(`${stars}b`, 'a'.repeat(500))).toBe(true);
    expect(covers(`${'**/a/'.repeat(15)}b`, 'a/'.repeat(250))).toBe(false);
    expect(covers(`x/${'*'.repeat(40)}b`, `x/${'a'.repeat(500)}`)).toBe(false);
    expect(overlap(`${stars}b`, `${stars}c`)).toBe(true);
    expect(overlap(`${'**/*a*/'.repeat(60)}b`, `${'**/*c*/'.repeat(60)}d`)).toBe(true);
    expect(overlap('{'.repeat(500), `${'{,'.repeat(250)}`)).toBe(false);
  });
});

/** Reference implementation that tries every possible match, so it suits only short patterns. */
function coversSlowly([first, ...rest]: string[], path: string[]): boolean {
  if (first === undefined) return true;
  const [name, ...below] = path;
  if (first === '**' && coversSlowly(rest, path)) return rest.length > 0 || path.length > 0;
  if (name === undefined) return false;
  if (first === '**') return coversSlowly([first, ...rest], below);
  return matchesSlowly(first, name) && coversSlowly(rest, below);
}

function matchesSlowly(glob: string, name: string): boolean {
  if (glob === '') return name === '';
  if (glob[0] === '*')
    return matchesSlowly(glob.slice(1), name) || (name !== '' && matchesSlowly(glob, name.slice(1)));
  return (
    name !== '' && (glob[0] === '?' || glob[0] === name[0]) && matchesSlowly(glob.slice(1), name.slice(1))
  );
}

describe('mayOverlap', () => {
  it.each([
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'src/b.ts', false],
    ['src', 'src/a.ts', true],
    ['src/a', 'src/ab', false],
    ['src/*', 'src/a.ts', true],
    ['src/api/*', 'src/db/*', false],
    ['src/*/x.ts', 'src/api/*', true],
    ['src/*.ts', 'src/*.sql', false],
    ['src/a*.ts', 'src/b*.ts', false],
    ['src/a*', 'src/ab*.ts', true],
    ['**/*.sql', 'src/db/**', true],
    ['**/*.sql', 'src/db/x.ts', false],
    ['**/*.sql', 'src/db/x.sql', true],
    ['**/*.sql', 'src/db', true],
    ['**/*.sql', '.github', true],
    ['**/a/x.ts', 'src/*.ts', false],
    ['**/x.ts', 'a.b/c.d/x.ts', true],
    ['src/**', 'lib/**', false],
    ['**/api/**', 'src/**/x.ts', true],
    ['.', 'src/a.ts', true],
    ['src/{api,db}/*', 'src/db/x.ts', true],
  ])('reports whether %s and %s may overlap: %s', (a, b, expected) => {
    expect(overlap(a, b)).toBe(expected);
    expect(overlap(b, a)).toBe(expected);
  });

  it('never misses a path that both cover', () => {
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), minLength: 1, maxLength: 3 });
    const pattern = fc
      .array(fc.oneof(glob, fc.constant('**')), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 });
    const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(pattern, pattern, path, (a, b, path) => {
        if (covers(a, path) && covers(b, path)) expect(overlap(a, b)).toBe(true);
        expect(overlap(a, b)).toBe(overlap(b, a));
      }),
      { numRuns: 2_000 },
    );
  });
});

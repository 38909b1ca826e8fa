import { compilePattern } from './compile-pattern.js';

const matches = (source: string, text: string): boolean => {
  const pattern = compilePattern(source);
  if (pattern.kind === 'rejected') throw new Error(pattern.reason);
  return pattern.matches(text);
};

describe('compilePattern', () => {
  it.each([
    ['(^|/)tests?/', 'src/test/a.ts', true],
    ['(^|/)tests?/', 'src/testing/a.ts', false],
    [String.raw`\.test\.[jt]sx?$`, 'src/a.test.tsx', true],
    [String.raw`\.test\.[jt]sx?$`, 'src/a.test.tsx.snap', false],
    ['(?i)^Tests/', 'tests/a', true],
    [String.raw`^\p{Lu}`, 'Über_spec.rb', true],
  ])('%s on %s: %s', (source, text, expected) => {
    expect(matches(source, text)).toBe(expected);
  });

  it.each([
    ['tests/(', 'missing closing )'],
    ['[z-a]', 'invalid character class range'],
    ['a{1001}', 'invalid repeat count'],
    [String.raw`^a\u0041`, String.raw`RE2 does not support \u escapes; write \x{…}`],
  ])('rejects %s and explains why', (source, reason) => {
    expect(compilePattern(source)).toEqual({ kind: 'rejected', reason });
  });
});

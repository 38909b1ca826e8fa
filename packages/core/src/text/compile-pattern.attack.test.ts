import { measureGrowth } from '@mergexo/testkit';
import { compilePattern } from './compile-pattern.js';

/** Expressions that make JavaScript's engine take exponential or polynomial time. */
const PATTERNS = [
  '^(a+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(a*)*b',
  '(a+a+)+y',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  String.raw`(\w+\s?)*!$`,
  String.raw`^(\w+/?)+\.test\.ts$`,
  '(.*a){12}c',
  '(.*)*[^/]x$',
  `${'a?'.repeat(40)}${'a'.repeat(40)}`,
  '(^|/)((a|test)/?)*x$',
];

/** File names of `size` characters that almost match. */
const NAMES: readonly [string, (size: number) => string][] = [
  ['one letter repeated', (size) => `${'a'.repeat(size)}!`],
  ['two letters alternating', (size) => `${'ax'.repeat(size / 2)}\n`],
  ['many folders', (size) => `${'a/test/'.repeat(size / 7)}\u{1f600}`],
  ['words and spaces', (size) => `${'tests x '.repeat(size / 8)}é`],
];

const compile = (source: string): ((text: string) => boolean) => {
  const pattern = compilePattern(source);
  if (pattern.kind === 'rejected') throw new Error(pattern.reason);
  return pattern.matches;
};

describe('a hostile file name against the test_file_regex', () => {
  const rows = PATTERNS.flatMap((source) => NAMES.map(([name, build]) => [source, name, build] as const));

  it.each(rows)('cannot make %s slow: %s', (source, _name, build) => {
    const matches = compile(source);
    const growth = measureGrowth((size) => void matches(build(size)), { from: 4_096, to: 65_536 });
    expect(growth).toBeLessThan(1.6);
  });
});

describe('a hostile expression', () => {
  it.each([
    ['lookahead', 'a(?=b)', 'RE2 does not support lookahead'],
    ['negative lookahead', '^(?!src/)', 'RE2 does not support lookahead'],
    ['lookbehind', '(?<=a)b', 'RE2 does not support lookbehind'],
    ['negative lookbehind', '(?<!a)b', 'RE2 does not support lookbehind'],
    ['a backreference', String.raw`(a*)*\1`, 'RE2 does not support backreferences'],
    ['a named backreference', String.raw`(?<x>a)\k<x>`, 'RE2 does not support backreferences'],
    ['an atomic group', '(?>a+)b', 'RE2 does not support atomic groups'],
    ['a condition', '(a)?(?(1)b|c)', 'RE2 does not support conditions'],
    ['a possessive quantifier', 'a++b', 'RE2 does not support possessive quantifiers'],
    ['nested repetitions', '((a{30}){30}){30}', 'invalid repeat count'],
    ['a huge alternation of repetitions', '(a{1,1000}|b{1,1000}){1,500}', 'expression too large'],
    ['repetitions side by side', 'a{1,900}'.repeat(25), 'expression too large'],
    ['repeated letters of all scripts', String.raw`\pL{1,900}\pN`, 'expression too large'],
    ['100,000 open groups', '('.repeat(100_000), 'missing closing )'],
    ['100,000 open classes', '['.repeat(100_000), 'missing closing ]'],
    ['a megabyte of letters', 'x'.repeat(1_000_000), 'expression too large'],
  ])('is rejected with a reason: %s', (_name, source, reason) => {
    expect(compilePattern(source)).toEqual({ kind: 'rejected', reason });
  });
});

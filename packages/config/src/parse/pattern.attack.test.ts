import { parseConfig } from './parse-config.js';

const parse = (keys: string) => () =>
  parseConfig(`[repo.main]\nowner = "octo"\nname = "x"\n${keys}\n`, { homeDir: '/home/me' });

describe('test_file_regex', () => {
  it.each([
    ['lookahead', '(?=a)b', 'RE2 does not support lookahead'],
    ['negative lookahead', '^(?!src/).*', 'RE2 does not support lookahead'],
    ['lookbehind', '(?<=tests/)a', 'RE2 does not support lookbehind'],
    ['a backreference', String.raw`(a+)+\1`, 'RE2 does not support backreferences'],
    ['huge repetitions', '(a{1,100}){1,100}', 'invalid repeat count'],
    ['an unclosed group', '(tests/', 'missing closing )'],
  ])('is rejected with the name of the unsupported construct: %s', (_name, pattern, reason) => {
    expect(parse(`test_file_regex = '${pattern}'`)).toThrow(
      `repo.main.test_file_regex: got "${pattern}", expected a regular expression in RE2 syntax: ${reason}`,
    );
  });

  it.each([
    ['empty', ''],
    ['201 characters long', 'a'.repeat(201)],
    ['100,000 characters long', '(a*)*'.repeat(20_000)],
    ['a control character', '\\u0000'],
  ])('is rejected if it is %s', (_name, pattern) => {
    expect(parse(`test_file_regex = "${pattern}"`)).toThrow(
      /repo\.main\.test_file_regex: got .*, expected a regular expression of 1 to 200 characters in RE2 syntax/,
    );
  });

  it('does not print a token in an invalid expression', () => {
    const token = `ghp_${'a1'.repeat(18)}`;
    expect(parse(`test_file_regex = "(${token}"`)).toThrow(expect.not.stringContaining(token));
  });

  it.each(['design_label', 'default_branch', 'required_tests'])(
    'is the only regular expression: MergeXO treats %s as plain text',
    (key) => expect(JSON.stringify(parse(`${key} = "(a+)+$"`)())).toContain('"(a+)+$"'),
  );
});

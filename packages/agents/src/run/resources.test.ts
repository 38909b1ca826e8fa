import { execFileSync } from 'node:child_process';
import { countsPerNamespace, DEFAULT_RESOURCES, limitCommand } from './resources.js';

describe('limitCommand', () => {
  it('passes the arguments and the exit code of the program unchanged', () => {
    const words = ['a b', '$HOME', '"', '', '*'];
    const [program = '', ...args] = limitCommand(DEFAULT_RESOURCES, [
      'sh',
      '-c',
      `printf '<%s>' "$@"`,
      'sh',
      ...words,
    ]);
    expect(execFileSync(program, args, { encoding: 'utf8' })).toBe('<a b><$HOME><"><><*>');
  });
});

describe('countsPerNamespace', () => {
  it.each([
    ['6.18.44-fc', true],
    ['5.14.0-503.el9.x86_64', true],
    ['5.13.19', false],
    ['4.18.0-553.el8', false],
    ['10.1', true],
    ['unknown', false],
  ])('for kernel %s is %s', (kernel, expected) => {
    expect(countsPerNamespace(kernel)).toBe(expected);
  });
});

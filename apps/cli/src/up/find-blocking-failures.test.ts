import type { Finding } from '../checks/finding.js';
import { findBlockingFailures } from './find-blocking-failures.js';

const failing = (name: string): Finding => ({ name, status: 'failure', detail: 'x' });
const passing = (name: string): Finding => ({ name, status: 'ok', detail: 'x' });
const names = (findings: Finding[], repos = 1): string[] =>
  findBlockingFailures(findings, { repos }).map(({ name }) => name);

describe('findBlockingFailures', () => {
  it.each<[string, Finding[], number, string[]]>([
    ['a rejected token', [failing('login')], 1, ['login']],
    ['no push access to the only repository', [failing('access')], 1, ['access']],
    ['required tests that cannot run in the only repository', [failing('tests')], 1, ['tests']],
    ['a failure of the only agent', [failing('codex')], 1, ['codex']],
    ['a failure of one of two agents', [failing('codex'), passing('claude')], 1, []],
    ['a failure of one of several repositories', [failing('access')], 2, []],
    ['a busy dashboard port', [failing('dashboard')], 1, []],
    ['an unreachable GitHub', [failing('github')], 1, []],
    [
      'a secret that does not belong to the database',
      [passing('database'), failing('secret')],
      1,
      ['secret'],
    ],
    ['files that the poller creates', [failing('database'), failing('secret')], 1, []],
  ])('decides whether %s prevents the start', (_what, findings, repos, expected) => {
    expect(names(findings, repos)).toEqual(expected);
  });
});

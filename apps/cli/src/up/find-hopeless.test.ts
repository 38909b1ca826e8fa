import type { Finding } from '../checks/finding.js';
import { findHopeless } from './find-hopeless.js';

const failing = (name: string): Finding => ({ name, status: 'failure', detail: 'x' });
const fine = (name: string): Finding => ({ name, status: 'ok', detail: 'x' });
const names = (findings: Finding[], repos = 1): string[] =>
  findHopeless(findings, { repos }).map(({ name }) => name);

describe('findHopeless', () => {
  it.each<[string, Finding[], number, string[]]>([
    ['a rejected token', [failing('login')], 1, ['login']],
    ['no push access to the only repository', [failing('access')], 1, ['access']],
    ['required tests that cannot run in the only repository', [failing('tests')], 1, ['tests']],
    ['the only agent that is missing', [failing('codex')], 1, ['codex']],
    ['one of two agents', [failing('codex'), fine('claude')], 1, []],
    ['one of several repositories', [failing('access')], 2, []],
    ['a busy port of the dashboard', [failing('dashboard')], 1, []],
    ['an unreachable GitHub', [failing('github')], 1, []],
    ['a secret that does not belong to the database', [fine('database'), failing('secret')], 1, ['secret']],
    ['files that the poller creates', [failing('database'), failing('secret')], 1, []],
  ])('classifies %s', (_what, findings, repos, expected) => {
    expect(names(findings, repos)).toEqual(expected);
  });
});

import { parseConfig } from '../parse/parse-config.js';
import { compareConfigs } from './compare-configs.js';

const REPO = 'owner = "o"\nname = "n"\n';
const parse = (text: string, repo = '', more = '') =>
  parseConfig(`${text}\n[repo.a]\n${REPO}${repo}\n${more}`, { homeDir: '/home/ada' });
const compare = (next: ReturnType<typeof parse>) => compareConfigs(parse(''), next);

describe('compareConfigs', () => {
  it.each([
    ['[limits]\nmax_turns_per_run = 3', '', '', ['limits.max_turns_per_run'], []],
    ['[prices.m]\ninput = 1\noutput = 2', '', '', ['prices'], []],
    ['[notify]\ndesktop = true', '', '', ['notify.desktop'], []],
    ['', 'allowed_users = ["x", "o"]', '', ['repo.a.allowed_users', 'repo.a.operator_logins'], []],
    ['', 'default_branch = "trunk"', '', [], ['repo.a.default_branch']],
    ['', '', `[repo.b]\n${REPO.replace('"n"', '"m"')}`, [], ['repo.b']],
    ['[agent]\ntimeout_seconds = 700', '', '', [], ['agent.timeout_seconds']],
    ['', '', '', [], []],
  ])('with %j, %j and %j applies %j; %j need a restart', (text, repo, more, reloaded, needRestart) => {
    const next = parse(text, repo, more);
    const change = compare(next);
    expect(change).toMatchObject({ reloaded, needRestart });
    // Applied once more, only the keys that need a restart still differ.
    expect(compareConfigs(change.config, next)).toMatchObject({ reloaded: [], needRestart });
  });

  it('keeps a repository that the file no longer has until the restart', () => {
    const running = parse('', '', `[repo.b]\n${REPO.replace('"n"', '"m"')}`);
    const change = compareConfigs(running, parse(''));
    expect(change).toMatchObject({ reloaded: [], needRestart: ['repo.b'] });
    expect(change.config.repos).toEqual(running.repos);
  });
});

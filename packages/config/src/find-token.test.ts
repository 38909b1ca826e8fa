import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRedact } from '@mergexo/core/text';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { findToken } from './find-token.js';
import { parseConfig } from './parse/parse-config.js';

describe('findToken', () => {
  const directory = createTemporaryDirectory();
  const loginPath = join(directory.path, 'login');
  const calls = (): string[] => readFileSync(join(directory.path, 'calls'), 'utf8').trim().split('\n');
  const logIn = (token: string): void => writeFileSync(loginPath, token);
  let now = 0;

  beforeEach(() => {
    now = 0;
    writeFileSync(join(directory.path, 'calls'), '');
    const gh = join(directory.path, 'gh');
    // A fake `gh` that prints the login's token for known hosts and fails for any other host.
    writeFileSync(
      gh,
      `#!/bin/sh
cd '${directory.path}' && echo "$*" >> calls
[ "$1 $2 $3" = 'auth token --hostname' ] || { echo "unknown command $*" >&2; exit 1; }
[ "$4" = github.com ] || [ "$4" = ghe.test ] || [ "$4" = acme.ghe.com ] || { echo "no oauth token found for $4" >&2; exit 1; }
/bin/cat login
`,
    );
    chmodSync(gh, 0o700);
  });
  afterAll(() => directory.remove());

  const redact = createRedact([]);
  const source = (apiUrl = 'https://api.github.com', githubToken?: string) => {
    const config = parseConfig(`[github]\napi_url = "${apiUrl}"\n[repo.app]\nowner = "o"\nname = "n"\n`, {
      homeDir: directory.path,
    });
    return findToken({ githubToken, childEnv: { PATH: directory.path }, config, redact }, () => now);
  };

  it('asks `gh auth token` for the token of the web host, at most once a minute', async () => {
    logIn('gho_first\n');
    const find = source();
    expect(await find()).toBe('gho_first');
    expect(redact('is gho_first')).toBe('is [redacted]');
    logIn('gho_second\n');
    now = 59_999;
    expect(await find()).toBe('gho_first');
    expect(calls()).toEqual(['auth token --hostname github.com']);
    now = 60_000;
    expect(await find()).toBe('gho_second');
    logIn('ghe\n');
    expect(await source('https://ghe.test/api/v3')()).toBe('ghe');
    expect(await source('https://api.acme.ghe.com')()).toBe('ghe');
    expect(calls().slice(2)).toEqual([
      'auth token --hostname ghe.test',
      'auth token --hostname acme.ghe.com',
    ]);
  });

  it('asks again immediately after GitHub has rejected the token', async () => {
    logIn('gho_revoked\n');
    const find = source();
    await find();
    logIn('gho_renewed\n');
    find.renew();
    expect(await find()).toBe('gho_renewed');
  });

  it.each([
    ['has no login', 'https://other.test/api/v3', 'x'],
    ['prints nothing', 'https://api.github.com', '\n'],
  ])('names the next step when gh %s', async (_what, apiUrl, login) => {
    logIn(login);
    await expect(source(apiUrl)()).rejects.toThrow(
      /^No GitHub login was found for (other\.test|github\.com): set GITHUB_TOKEN, or log in with `gh auth login --hostname \1`\.$/,
    );
  });

  it('prefers the token in the environment and never starts gh', async () => {
    const find = source('https://api.github.com', 'ghp_given');
    find.renew();
    expect(await find()).toBe('ghp_given');
    expect(calls()).toEqual(['']);
  });
});

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { lendLogin } from './lend-login.js';

const LOGIN = JSON.stringify({ tokens: { access_token: 'token-0123456789abcdef' } });

describe("an agent that tries to keep MergeXO from removing the user's login", () => {
  const directory = createTemporaryDirectory();
  let [from, home, folder, to] = ['', '', '', ''];
  beforeEach(() => {
    rmSync(join(directory.path, 'agent'), { recursive: true, force: true });
    home = join(directory.path, 'agent');
    folder = join(home, 'claude');
    [from, to] = [join(directory.path, 'auth.json'), join(folder, 'auth.json')];
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(from, LOGIN);
  });
  afterAll(() => directory.remove());

  const lend = () => lendLogin({ from, to, isRefreshed: () => false, now: () => new Date() });
  const modesOf = () => [home, folder].map((path) => (lstatSync(path).mode & 0o777).toString(8));

  it.each<[string, () => void]>([
    ['makes its directory read-only', () => chmodSync(folder, 0o500)],
    ['removes all permissions of its directory', () => chmodSync(folder, 0o000)],
    ['makes its home read-only', () => chmodSync(home, 0o500)],
    ['removes all permissions of its home', () => chmodSync(home, 0o000)],
    [
      'removes all permissions of both',
      () => {
        chmodSync(folder, 0o000);
        chmodSync(home, 0o000);
      },
    ],
  ])('fails if it %s', (_name, attack) => {
    const lent = lend();
    attack();
    lent?.takeBack({ isTrusted: false });
    expect(existsSync(to)).toBe(false);
    expect(modesOf()).toEqual(['700', '700']);
    expect(lend()).toBeDefined();
  });

  const DEEP = `i=0; while [ $i -lt 60 ]; do mkdir ${'d'.repeat(200)} && cd ${'d'.repeat(200)}; i=$((i+1)); done 2>/dev/null`;

  it('fails if its login is a directory with a path that is too long for the system', async () => {
    const lent = lend();
    rmSync(to);
    mkdirSync(to);
    execFileSync('sh', ['-c', DEEP], { cwd: to });
    lent?.takeBack({ isTrusted: false });
    expect(existsSync(to)).toBe(false);
    expect(lend()).toBeDefined();
    // MergeXO removes the directory in the background.
    while (readdirSync(folder).length > 1) await sleep(20);
  });

  it('changes neither the mode nor the login of a directory that it links to', () => {
    const lent = lend();
    const outside = join(directory.path, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'auth.json'), LOGIN);
    chmodSync(outside, 0o500);
    rmSync(folder, { recursive: true });
    symlinkSync(outside, folder);
    lent?.takeBack({ isTrusted: false });
    expect((lstatSync(outside).mode & 0o777).toString(8)).toBe('500');
    expect(readFileSync(join(outside, 'auth.json'), 'utf8')).toBe(LOGIN);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '@mergexo/config';
import { computeSender } from '@mergexo/core/ledger';
import { createRedact } from '@mergexo/core/text';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { checkWorkerKey } from '../checks/check-worker-key.js';
import { createContext } from '../context.js';
import { printWorkerKey } from './worker-key.js';

const SECRET = 's'.repeat(64);

describe('worker-key', () => {
  const directory = createTemporaryDirectory();
  const config = join(directory.path, 'mergexo.toml');
  beforeAll(() => writeFileSync(config, '[repo.app]\nowner = "o"\nname = "n"\n'));
  afterAll(() => directory.remove());

  const print = (name: string, env: Record<string, string> = { MERGEXO_SECRET: SECRET }): string => {
    let printed = '';
    const write = (text: string): void => {
      printed += text;
    };
    printWorkerKey(
      createContext({ config, env, homeDir: directory.path, write, redact: createRedact([]) }),
      name,
    );
    return printed.trim();
  };
  const check = (env: Record<string, string>) =>
    checkWorkerKey(readSettings({ configPath: config, env, homeDir: directory.path }));

  it('prints the key that the poller computes for the name', () => {
    expect(print('build-2')).toBe(`build-2:${computeSender(SECRET, 'build-2').key}`);
    expect(print('build-2')).not.toBe(print('build-3'));
  });

  it('prints the key even on a host whose MERGEXO_WORKER_KEY has the same key', () => {
    const key = print('build-2');
    expect(print('build-2', { MERGEXO_SECRET: SECRET, MERGEXO_WORKER_KEY: key })).toBe(key);
  });

  it.each(['operator', '', 'Build', 'a b', 'a:b', 'a@b', '-a', '../a', 'a'.repeat(41), 'ä'])(
    'refuses the name %p',
    (name) => {
      expect(() => print(name)).toThrow(/cannot be the name of a worker/);
    },
  );

  it('names the missing secret on a host without the poller', () => {
    expect(() => print('build-2', {})).toThrow(/the signing secret is missing/);
  });

  it("prints a key that passes doctor's check on both hosts", () => {
    const key = print('build-2');
    expect(check({ MERGEXO_WORKER_KEY: key })).toMatchObject({ status: 'ok' });
    expect(check({ MERGEXO_SECRET: SECRET, MERGEXO_WORKER_KEY: key })).toMatchObject({ status: 'ok' });
    expect(check({ MERGEXO_SECRET: SECRET })).toMatchObject({ status: 'ok' });
  });

  it.each<[string, Record<string, string>]>([
    ['a worker host has no key', {}],
    ['the key is truncated', { MERGEXO_WORKER_KEY: 'build-2:abc' }],
    [
      'the secret was renewed',
      { MERGEXO_SECRET: 'n'.repeat(64), MERGEXO_WORKER_KEY: `build-2:${'a'.repeat(64)}` },
    ],
  ])('is the command that doctor suggests if %s', (_name, env) => {
    expect(check(env)).toMatchObject({
      status: 'failure',
      fix: expect.stringMatching(/mergexo worker-key (<name>|build-2)/),
    });
  });
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseConfig } from '@mergexo/config';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { init } from '../commands/init.js';
import { printWorkerKey } from '../commands/worker-key.js';
import { createContext } from '../context.js';
import type { InitOptions } from './init-options.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

describe('init --compose', () => {
  const pathTo = useTemporaryDirectory();
  let printed = '';

  const contextWith = (env: Record<string, string>, config = pathTo('mergexo.toml')) => {
    printed = '';
    const write = (text: string): void => {
      printed += text;
    };
    return createContext({ config, env, homeDir: pathTo('home'), write });
  };
  const run = (env: Record<string, string> = {}, options: InitOptions = {}) =>
    init(contextWith(env), { compose: true, repo: 'ada/engine', agent: 'codex', labels: false, ...options });
  /** Reads .env with a shell, as compose would without interpolation. */
  const readEnv = (): Record<string, string> => {
    const output = execFileSync('sh', ['-c', `set -a; . ${pathTo('.env')}; env -0`], {
      env: {},
      encoding: 'utf8',
    });
    const pairs = output.split('\0').map((line) => line.split(/=(.*)/s).slice(0, 2));
    return Object.fromEntries(pairs);
  };

  it('writes everything that `docker compose up` needs, with new secrets that only the owner can read', async () => {
    await run({ GITHUB_TOKEN: 'ghp_poller', WORKER_GITHUB_TOKEN: 'ghp_worker' });
    expect(readdirSync(pathTo()).sort()).toEqual(['.env', 'docker-compose.yml', 'mergexo.toml']);
    expect(statSync(pathTo('.env')).mode & 0o777).toBe(0o600);
    expect(readFileSync(pathTo('docker-compose.yml'), 'utf8')).toBe(
      readFileSync(`${ROOT}/docker-compose.yml`, 'utf8'),
    );
    const { repos } = parseConfig(readFileSync(pathTo('mergexo.toml'), 'utf8'), { homeDir: '/data' });
    expect(repos.map(({ fullName }) => fullName)).toEqual(['ada/engine']);
    const env = readEnv();
    expect(env).toMatchObject({ GITHUB_TOKEN: 'ghp_poller', WORKER_GITHUB_TOKEN: 'ghp_worker' });
    for (const name of ['MERGEXO_REDIS_PASSWORD', 'MERGEXO_SECRET'])
      expect(env[name]).toMatch(/^[0-9a-f]{64}$/);
    expect(env['MERGEXO_DASHBOARD_PASSWORD']).toMatch(/^[\w-]{24}$/);
    expect(printed).toMatch(/created +\.env.*created +mergexo\.toml.*created +docker-compose\.yml/s);
    expect(printed).not.toMatch(/Set in|ghp_/);
    expect(printed).toContain('WORKERS=3 docker compose up');
  });

  it('writes the worker key that `worker-key` prints', async () => {
    await run();
    const { MERGEXO_SECRET = '', MERGEXO_WORKER_KEY } = readEnv();
    printWorkerKey(contextWith({ MERGEXO_SECRET }), 'compose');
    expect(printed.trim()).toBe(MERGEXO_WORKER_KEY);
  });

  it('never changes an existing file, and names the values that are left to set', async () => {
    writeFileSync(pathTo('.env'), 'MERGEXO_SECRET=old\n');
    await run();
    expect(readFileSync(pathTo('.env'), 'utf8')).toBe('MERGEXO_SECRET=old\n');
    expect(printed).toMatch(/kept +\.env/);
    expect(printed).toContain(
      `Set in ${pathTo('.env')}: MERGEXO_REDIS_PASSWORD, MERGEXO_WORKER_KEY, MERGEXO_DASHBOARD_PASSWORD, GITHUB_TOKEN, WORKER_GITHUB_TOKEN`,
    );
    const before = readdirSync(pathTo()).map((name) => readFileSync(pathTo(name), 'utf8'));
    await run();
    expect(printed).toMatch(/kept +\.env.*kept +mergexo\.toml.*kept +docker-compose\.yml/s);
    expect(readdirSync(pathTo()).map((name) => readFileSync(pathTo(name), 'utf8'))).toEqual(before);
  });

  it('passes a given key to the agent, and keeps a given secret', async () => {
    const secret = 'x$y#'.repeat(16);
    await run({ OPENAI_API_KEY: 'sk-1', ANTHROPIC_API_KEY: 'sk-2', MERGEXO_SECRET: secret });
    const { agent } = parseConfig(readFileSync(pathTo('mergexo.toml'), 'utf8'), { homeDir: '/data' });
    expect(agent.passEnv).toEqual(['OPENAI_API_KEY']);
    expect(readEnv()).toMatchObject({ OPENAI_API_KEY: 'sk-1', MERGEXO_SECRET: secret });
  });

  it('writes nothing in a dry run, and rejects another name for the config', async () => {
    await run({}, { dryRun: true });
    expect(printed).toMatch(/missing +\.env.*missing +docker-compose\.yml.*Nothing was changed/s);
    const other = contextWith({}, pathTo('fleet.toml'));
    await expect(init(other, { compose: true, repo: 'ada/engine', agent: 'codex' })).rejects.toThrow(
      /mounts a file called mergexo\.toml, not fleet\.toml/,
    );
    await expect(run({ GITHUB_TOKEN: "a'b" })).rejects.toThrow('GITHUB_TOKEN contains a quote');
    expect(readdirSync(pathTo())).toEqual([]);
  });
});

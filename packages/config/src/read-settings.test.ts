import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from './read-settings.js';

describe('readSettings', () => {
  let dir: string;
  let configPath: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'mx-'));
    configPath = join(dir, 'mergexo.toml');
    writeFileSync(configPath, '[redis]\nurl = "redis://cache:6379"\n[repo.a]\nowner = "o"\nname = "n"\n');
  });
  afterEach(() => rmSync(dir, { recursive: true }));
  const read = (env: Record<string, string>) => readSettings({ configPath, env, homeDir: dir });

  it('takes an empty variable for an unset one: it is no password', () => {
    expect(() => read({ MERGEXO_REDIS_PASSWORD: '' })).toThrow(/redis.url/);
    expect(read({ MERGEXO_REDIS_URL: 'redis://:inside@cache', MERGEXO_REDIS_PASSWORD: '' }).redis).toEqual({
      url: 'redis://:inside@cache',
      password: 'inside',
    });
  });

  it('knows every credential that the environment holds, and gives none of them to programs that it starts', () => {
    const env = {
      MERGEXO_REDIS_PASSWORD: 'p1',
      MERGEXO_SECRET: 's1',
      GITHUB_TOKEN: 't1',
      GH_TOKEN: 't2',
      MERGEXO_REVIEWER_TOKEN: 't3',
      LANG: 'C',
    };
    const settings = read(env);
    expect(settings.secrets).toEqual(expect.arrayContaining(['p1', 's1', 't1', 't2', 't3']));
    expect(settings.childEnv).toEqual({ LANG: 'C' });
    expect(settings).toMatchObject({ githubToken: 't1', signingSecret: 's1', reviewerToken: 't3' });
  });

  it('finds the config by argument, then by variable', () => {
    expect(
      readSettings({
        configPath: undefined,
        env: { MERGEXO_CONFIG: configPath, MERGEXO_REDIS_PASSWORD: 'p' },
        homeDir: dir,
      }).configPath,
    ).toBe(configPath);
  });
});

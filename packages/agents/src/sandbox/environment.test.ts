import { buildEnvironment } from './environment.js';

const choose = (env: Record<string, string>, passEnv: string[] = [], extra = {}) =>
  buildEnvironment({ env, passEnv, home: '/h', tmp: '/t', runId: 'r', extra });

const OURS = { HOME: '/h', TMPDIR: '/t', TERM: 'dumb', MERGEXO_RUN_ID: 'r' };

describe('buildEnvironment', () => {
  it('passes only paths, the language and the time zone by default', () => {
    const env = {
      PATH: '/bin',
      LANG: 'C',
      LC_TIME: 'C',
      TZ: 'UTC',
      USER: 'ada',
      NODE_OPTIONS: '--x',
      DEBUG: '*',
      LC_: 'x',
    };
    expect(choose(env)).toEqual({ PATH: '/bin', LANG: 'C', LC_TIME: 'C', TZ: 'UTC', ...OURS });
  });

  it('passes variables that the configuration names or the adapter sets', () => {
    const env = { MODEL_KEY: 'k', OTHER: 'o' };
    expect(choose(env, ['MODEL_KEY', 'ABSENT'], { CODEX_HOME: '/c' })).toEqual({
      PATH: '/usr/local/bin:/usr/bin:/bin',
      MODEL_KEY: 'k',
      CODEX_HOME: '/c',
      ...OURS,
    });
  });

  it.each([
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'gh_token',
    'MERGEXO_SECRET',
    'MERGEXO_WORKER_KEY',
    'MERGEXO_RUN_ID',
    'REDIS_URL',
    'REDISCLI_AUTH',
  ])('never passes %s, even if the configuration names it', (name) => {
    expect(Object.values(choose({ [name]: 'canary' }, [name]))).not.toContain('canary');
  });

  it.each([
    ['.:/bin::node_modules/.bin:/usr/bin:', '/bin:/usr/bin'],
    ['.', '/usr/local/bin:/usr/bin:/bin'],
  ])(
    'removes relative directories, which could be in the slot, from the search path %s',
    (PATH, expected) => {
      expect(choose({ PATH })).toMatchObject({ PATH: expected });
    },
  );

  it("puts the run's marker before any value that could end the line", () => {
    const [first] = Object.keys(choose({ PATH: '/bin', KEY: 'a\nb' }, ['KEY']));
    expect(first).toBe('MERGEXO_RUN_ID');
  });

  it.each(['HOME', 'TMPDIR', 'TERM'])('sets its own value for %s', (name) => {
    expect(choose({ [name]: '/elsewhere' }, [name], { [name]: '/elsewhere' })).toMatchObject(OURS);
  });
});

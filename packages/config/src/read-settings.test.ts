import { appendFileSync, writeFileSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { readSettings } from './read-settings.js';

describe('readSettings', () => {
  const pathTo = useTemporaryDirectory();
  const configPath = () => pathTo('mergexo.toml');
  beforeEach(() =>
    writeFileSync(configPath(), '[redis]\nurl = "redis://cache:6379"\n[repo.a]\nowner = "o"\nname = "n"\n'),
  );
  const read = (env: Record<string, string>) =>
    readSettings({ configPath: configPath(), env, homeDir: pathTo() });

  it('treats an empty variable as unset', () => {
    expect(() => read({ MERGEXO_REDIS_PASSWORD: '' })).toThrow(/redis.url/);
    expect(read({ MERGEXO_REDIS_URL: 'redis://:inside@cache', MERGEXO_REDIS_PASSWORD: '' }).redis).toEqual({
      url: 'redis://:inside@cache',
      password: 'inside',
    });
  });

  it('collects every credential in the environment, and passes none to child programs', () => {
    const tokens = { GITHUB_TOKEN: 't1', GH_TOKEN: 't2', MERGEXO_REVIEWER_TOKEN: 't3' };
    const settings = read({ ...tokens, MERGEXO_REDIS_PASSWORD: 'p1', MERGEXO_SECRET: 's1', LANG: 'C' });
    expect(settings.redact('p1 is too short')).toBe('p1 is too short');
    const known = read({
      MERGEXO_REDIS_PASSWORD: 'canary-1234',
      MERGEXO_SECRET: 'canary-key-1\ncanary-key-2',
    });
    expect(known.redact('canary-1234 canary-key-1 canary-key-2')).toBe('[redacted] [redacted] [redacted]');
    expect(settings.childEnv).toEqual({ LANG: 'C' });
    expect(settings).toMatchObject({ githubToken: 't1', signingSecret: 's1', reviewerToken: 't3' });
  });

  it.each([
    ['a server prefers its own variable', 'https://github.acme.example/api/v3', 'server-token'],
    ['github.com never gets the token of a server', 'https://api.github.com', 'cloud-token'],
    ['data residency counts as the cloud', 'https://api.acme.ghe.com', 'cloud-token'],
  ])('reads the token for the host: %s', (_name, apiUrl, token) => {
    appendFileSync(configPath(), `[github]\napi_url = "${apiUrl}"\n`);
    const settings = read({
      MERGEXO_REDIS_PASSWORD: 'p',
      GH_ENTERPRISE_TOKEN: 'server-token',
      GH_TOKEN: 'cloud-token',
    });
    expect(settings.githubToken).toBe(token);
    expect(settings.childEnv).toEqual({});
  });

  it('prefers the host of the dashboard in the environment, so that a container needs no change of the file', () => {
    const hostOf = (env: Record<string, string>) =>
      read({ MERGEXO_REDIS_PASSWORD: 'p', ...env }).config.dashboard.host;
    expect(hostOf({})).toBe('127.0.0.1');
    expect(hostOf({ MERGEXO_DASHBOARD_HOST: '0.0.0.0' })).toBe('0.0.0.0');
    expect(() => hostOf({ MERGEXO_DASHBOARD_HOST: 'http://x' })).toThrow(
      'The environment has 1 problem:\n  MERGEXO_DASHBOARD_HOST: expected a host name or an IP address',
    );
  });

  it('reads the proxy, and redacts its password', () => {
    const HTTPS_PROXY = 'http://ada:canary-proxy-1@proxy.test:3128/';
    const settings = read({ MERGEXO_REDIS_PASSWORD: 'p', HTTPS_PROXY, NO_PROXY: 'ghe.test' });
    expect(settings.proxy).toEqual({ url: HTTPS_PROXY, direct: ['ghe.test'] });
    expect(settings.redact(`CONNECT via ${HTTPS_PROXY}`)).not.toContain('canary');
  });

  it('finds the config by argument, then by environment variable', () => {
    expect(
      readSettings({
        configPath: undefined,
        env: { MERGEXO_CONFIG: configPath(), MERGEXO_REDIS_PASSWORD: 'p' },
        homeDir: pathTo(),
      }).configPath,
    ).toBe(configPath());
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { CLAUDE } from '../claude/claude-cli.js';
import { CODEX } from '../codex/codex-cli.js';
import type { Cli } from './cli.js';
import { findModel, findProxyVariable } from './find-model.js';

type Given = { env?: Record<string, string>; passEnv?: string[]; extraArgs?: string[] };
const find = (cli: Cli, { env = {}, passEnv = Object.keys(env), extraArgs = [] }: Given = {}) =>
  findModel(cli, { host: { env, passEnv }, extraArgs });
const hostsOf = (cli: Cli, given?: Given) => {
  const model = find(cli, given);
  return model.kind === 'unknown' ? [] : model.rules.map(({ host, ports }) => `${host}:${ports}`);
};

describe('findModel', () => {
  it('lists the hosts of the login only if no key replaces the login', () => {
    expect(hostsOf(CODEX)).toEqual(['api.openai.com:443', 'chatgpt.com:443', 'auth.openai.com:443']);
    expect(hostsOf(CODEX, { env: { OPENAI_API_KEY: 'k' } })).toEqual(['api.openai.com:443']);
    expect(hostsOf(CLAUDE)).toEqual(['api.anthropic.com:443', 'platform.claude.com:443']);
    expect(hostsOf(CLAUDE, { env: { ANTHROPIC_API_KEY: 'k' } })).toEqual(['api.anthropic.com:443']);
  });

  it.each<[string, Cli, Given, string]>([
    [
      'a variable',
      CLAUDE,
      { env: { ANTHROPIC_BASE_URL: 'https://llm.corp.example/v1' } },
      'llm.corp.example:443',
    ],
    [
      'an argument',
      CODEX,
      { extraArgs: ['-c', 'model_providers.x={base_url="http://127.0.0.1:4000/v1",a=1}'] },
      '127.0.0.1:4000',
    ],
    ['another argument', CODEX, { extraArgs: ['-copenai_base_url=https://eu.example/v1'] }, 'eu.example:443'],
  ])('adds the model’s URL from %s', (_where, cli, given, host) => {
    expect(hostsOf(cli, given)).toContain(host);
  });

  it('ignores a variable that is not passed to the agent', () => {
    const env = { ANTHROPIC_BASE_URL: 'https://llm.corp.example' };
    expect(hostsOf(CLAUDE, { env, passEnv: [] })).not.toContain('llm.corp.example:443');
  });

  it('adds the model’s URL from the profile', () => {
    const { path, remove } = createTemporaryDirectory();
    mkdirSync(join(path, '.codex'));
    writeFileSync(join(path, '.codex/mine.config.toml'), 'base_url = "https://profile.example/v1"\n');
    const host = { env: { HOME: path }, passEnv: [] };
    const model = findModel(CODEX, { host, extraArgs: [], profile: 'mine' });
    expect(JSON.stringify(model)).toContain('profile.example');
    expect(JSON.stringify(findModel(CODEX, { host, extraArgs: [] }))).not.toContain('profile.example');
    remove();
  });

  it.each<[Cli, Given]>([
    [CLAUDE, { env: { CLAUDE_CODE_USE_BEDROCK: '1' } }],
    [CODEX, { extraArgs: ['--oss'] }],
  ])('does not know the hosts of another provider', (cli, given) => {
    expect(find(cli, given)).toMatchObject({ kind: 'other', reason: expect.stringContaining('allow-list') });
  });
});

describe('findProxyVariable', () => {
  it('finds a proxy that the operator passes to agents', () => {
    const env = { https_proxy: 'http://proxy:3128', NO_PROXY: 'x', ALL_PROXY: '' };
    expect(findProxyVariable({ env, passEnv: ['NO_PROXY', 'ALL_PROXY', 'https_proxy'] })).toBe('https_proxy');
    expect(findProxyVariable({ env, passEnv: ['NO_PROXY'] })).toBeUndefined();
  });
});

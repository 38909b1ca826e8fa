import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { type InspectOptions, inspectAgents } from './inspect-agents.js';

const unusable = { kind: 'unusable', reason: 'bubblewrap (bwrap) is not installed' } as const;

function anAgent(dir: string, name: string, script: string): { options: InspectOptions } {
  mkdirSync(join(dir, 'bin'), { recursive: true });
  writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(dir, 'bin', name), 0o755);
  return {
    options: {
      host: {
        env: { PATH: `${join(dir, 'bin')}:/usr/bin:/bin`, HOME: dir },
        passEnv: [],
        runsDir: dir,
        readOnlyPaths: [],
      },
      sandbox: 'auto',
      bubblewrap: { kind: 'works', program: '/usr/bin/bwrap' },
    },
  };
}

function plantLogin(dir: string): void {
  mkdirSync(join(dir, '.codex'));
  writeFileSync(join(dir, '.codex/auth.json'), '{}');
}

const VERSION = '[ "$1" = --version ] && echo "codex-cli 0.166.0" && exit 0';

describe('inspectAgents', () => {
  let dir: string;
  let remove: () => void;
  beforeEach(() => {
    ({ path: dir, remove } = createTemporaryDirectory());
  });
  afterEach(() => remove());

  it('tells version and login', async () => {
    const { options } = anAgent(dir, 'codex', `mkdir -p "$HOME/made"; ${VERSION}`);
    plantLogin(dir);
    expect(await inspectAgents(['codex', 'codex'], options)).toEqual([
      { adapter: 'codex', status: 'ok', detail: 'codex-cli 0.166.0, logged in; confined by bubblewrap' },
    ]);
    // The user's home is looked at and left alone.
    expect(readdirSync(dir).sort()).toEqual(['.codex', 'bin']);
    expect(readdirSync(join(dir, '.codex'))).toEqual(['auth.json']);
  });

  it('names the fix for a missing login, and takes a key for one', async () => {
    const { options } = anAgent(dir, 'codex', VERSION);
    const [report] = await inspectAgents(['codex'], options);
    expect(report).toMatchObject({ status: 'warning', fix: expect.stringContaining('codex login') });
    const host = {
      ...options.host,
      env: { ...options.host.env, OPENAI_API_KEY: 'sk-1' },
      passEnv: ['OPENAI_API_KEY'],
    };
    const [withKey] = await inspectAgents(['codex'], { ...options, host });
    expect(withKey).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('with the key in OPENAI_API_KEY'),
    });
    expect(JSON.stringify(withKey)).not.toContain('sk-1');
  });

  it.each<[string, RegExp]>([
    ['claude', /@anthropic-ai\/claude-code/],
    ['command', /\[command\]/],
    ['gemini', /^$/],
  ])('says that %s is missing', async (adapter, fix) => {
    const { options } = anAgent(dir, 'other', '');
    const [report] = await inspectAgents([adapter], options);
    expect(report?.status).toBe('failure');
    expect(report?.fix ?? '').toMatch(fix);
  });

  it('says that a sandbox is missing, unless the agent has its own', async () => {
    const { options } = anAgent(dir, 'claude', 'echo 2.1.325');
    const [claude] = await inspectAgents(['claude'], { ...options, bubblewrap: unusable });
    expect(claude).toMatchObject({ status: 'failure', fix: expect.stringContaining('not installed') });
    const codex = anAgent(dir, 'codex', VERSION).options;
    plantLogin(dir);
    const [own] = await inspectAgents(['codex'], { ...codex, bubblewrap: unusable });
    expect(own).toMatchObject({ status: 'ok', detail: expect.stringContaining('its own sandbox') });
  });
});

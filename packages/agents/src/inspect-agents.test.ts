import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { inspectAgents } from './inspect-agents.js';

const unusable = { kind: 'unusable', reason: 'bubblewrap (bwrap) is not installed' } as const;

function anAgent(
  dir: string,
  name: string,
  script: string,
): { options: Parameters<typeof inspectAgents>[1] } {
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
      settings: {},
      codexProbe: { kind: 'works' },
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

  it('reports the version and the login', async () => {
    const { options } = anAgent(dir, 'codex', `mkdir -p "$HOME/made"; ${VERSION}`);
    plantLogin(dir);
    expect(await inspectAgents(['codex', 'codex'], options)).toEqual([
      {
        adapter: 'codex',
        status: 'ok',
        detail:
          'codex-cli 0.166.0, logged in; confined by bubblewrap; network: model-only (api.openai.com, chatgpt.com, auth.openai.com)',
      },
    ]);
    // The inspection reads the user's home but does not change it.
    expect(readdirSync(dir).sort()).toEqual(['.codex', 'bin']);
    expect(readdirSync(join(dir, '.codex'))).toEqual(['auth.json']);
  });

  it('warns about a bubblewrap version that cannot forbid namespaces', async () => {
    const { options } = anAgent(dir, 'codex', VERSION);
    plantLogin(dir);
    const bubblewrap = { kind: 'works', program: '/usr/bin/bwrap', allowsNamespaces: true } as const;
    expect(await inspectAgents(['codex'], { ...options, bubblewrap })).toMatchObject([
      { status: 'warning', fix: expect.stringContaining('Update bubblewrap to 0.8') },
    ]);
  });

  it('names the fix for a missing login, and accepts an API key instead of a login', async () => {
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
  ])('reports that %s is missing', async (adapter, fix) => {
    const { options } = anAgent(dir, 'other', '');
    const [report] = await inspectAgents([adapter], options);
    expect(report?.status).toBe('failure');
    expect(report?.fix ?? '').toMatch(fix);
  });

  it('reports a missing sandbox, unless the agent has its own sandbox', async () => {
    const { options } = anAgent(dir, 'claude', 'echo 2.1.325');
    const [claude] = await inspectAgents(['claude'], { ...options, bubblewrap: unusable });
    expect(claude).toMatchObject({ status: 'failure', fix: expect.stringContaining('not installed') });
    const codex = anAgent(dir, 'codex', VERSION).options;
    plantLogin(dir);
    const [own] = await inspectAgents(['codex'], { ...codex, bubblewrap: unusable });
    expect(own).toMatchObject({ status: 'ok', detail: expect.stringContaining('its own sandbox') });
  });

  describe('for Claude Code without a sandbox for its commands', () => {
    const inspectClaude = async (
      permissionMode: 'acceptEdits' | 'dontAsk',
      sandbox: 'auto' | 'none' = 'auto',
    ) => {
      const { options } = anAgent(dir, 'claude', 'echo 2.1.325');
      const host = { ...options.host, env: { ...options.host.env, ANTHROPIC_API_KEY: 'k' } };
      const settings = { claude: { binary: 'claude', extraArgs: [], permissionMode } };
      const inspected = { ...options, sandbox, settings, host: { ...host, passEnv: ['ANTHROPIC_API_KEY'] } };
      const claudeProbe = { kind: 'unusable', reason: 'no namespaces' } as const;
      const [report] = await inspectAgents(
        ['claude'],
        sandbox === 'none' ? inspected : { ...inspected, claudeProbe },
      );
      const [working] = await inspectAgents(['claude'], { ...inspected, claudeProbe: { kind: 'works' } });
      return { report, working };
    };

    it('warns that it cannot run commands, and names the setting that allows them', async () => {
      const { report, working } = await inspectClaude('acceptEdits');
      expect(report).toMatchObject({
        status: 'warning',
        detail: expect.stringMatching(/; cannot run commands$/),
        fix: expect.stringMatching(/: no namespaces\. .*`permission_mode = "dontAsk"`/),
      });
      expect(working).toMatchObject({ status: 'ok', detail: expect.not.stringContaining('commands') });
    });

    it('warns if the operator turned bubblewrap off', async () => {
      const { report } = await inspectClaude('acceptEdits', 'none');
      expect(report).toMatchObject({
        status: 'warning',
        fix: expect.stringContaining('bubblewrap is not used'),
      });
    });

    it('reports no problem in a mode that needs no sandbox for commands', async () => {
      expect((await inspectClaude('dontAsk')).report).toMatchObject({ status: 'ok' });
    });
  });

  describe('for Codex without its own sandbox', () => {
    const inspectCodex = async (ownSandbox: 'required' | 'optional') => {
      const { options } = anAgent(dir, 'codex', VERSION);
      plantLogin(dir);
      const codexProbe = { kind: 'unusable', reason: 'no namespaces' } as const;
      const settings = { codex: { binary: 'codex', extraArgs: [], ownSandbox } };
      const [report] = await inspectAgents(['codex'], { ...options, settings, codexProbe });
      return report;
    };

    it('fails, and names the setting that allows it', async () => {
      expect(await inspectCodex('required')).toEqual({
        adapter: 'codex',
        status: 'failure',
        detail:
          'codex-cli 0.166.0, logged in; confined by bubblewrap; network: model-only (api.openai.com, chatgpt.com, auth.openai.com); its own sandbox does not work',
        fix: expect.stringMatching(/no namespaces\. .*`own_sandbox = "optional"`/),
      });
    });

    it('warns if the operator allowed it', async () => {
      expect(await inspectCodex('optional')).toEqual({
        adapter: 'codex',
        status: 'warning',
        detail:
          'codex-cli 0.166.0, logged in; confined by bubblewrap; network: model-only (api.openai.com, chatgpt.com, auth.openai.com); without its own sandbox',
        fix: expect.stringContaining('network access'),
      });
    });
  });

  describe('for the command adapter', () => {
    const inspectCommand = async (argv: string[], path = '/usr/bin:/bin') => {
      const { options } = anAgent(dir, 'agent', 'true');
      const host = { ...options.host, env: { PATH: path, HOME: dir } };
      const [report] = await inspectAgents(['command'], {
        ...options,
        host,
        settings: { command: { argv } },
      });
      return report;
    };
    const writeScript = (name: string, text: string): string => {
      const path = join(dir, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, text);
      chmodSync(path, 0o755);
      return path;
    };

    it('accepts a script and an interpreter that are visible in the sandbox', async () => {
      const script = writeScript('agent.sh', 'true\n');
      expect(await inspectCommand(['sh', script, '--out', '/nowhere'])).toMatchObject({ status: 'ok' });
      expect(await inspectCommand([writeScript('agent', '#!/bin/sh\n')])).toMatchObject({ status: 'ok' });
    });

    it('reports a missing script', async () => {
      expect(await inspectCommand(['sh', '/nowhere/agent.py'])).toMatchObject({
        status: 'failure',
        detail: 'the script /nowhere/agent.py does not exist',
      });
    });

    it.each([
      [['sh', 'agent.py'], 'agent.py'],
      [['sh', './agent.mjs'], './agent.mjs'],
      [['./agent.sh'], './agent.sh'],
    ])('rejects the relative path in %j, and names the fix', async (argv, path) => {
      expect(await inspectCommand(argv)).toEqual({
        adapter: 'command',
        status: 'failure',
        detail: `${path} is a relative path: the agent would use the file in its checkout`,
        fix: `Write the absolute path of ${path} in \`argv\` of [command].`,
      });
    });

    it('reports that the interpreter of a script does not exist', async () => {
      const script = writeScript('agent.sh', '#!/bin/no-such-shell -e\n');
      expect(await inspectCommand([script])).toMatchObject({
        status: 'failure',
        detail: `${script} needs /bin/no-such-shell, which does not exist`,
      });
    });

    it('distinguishes a missing program from a program that is not executable', async () => {
      const script = writeScript('plain.sh', '#!/bin/sh\n');
      chmodSync(script, 0o644);
      const fix = `Run \`chmod +x ${script}\`.`;
      expect(await inspectCommand([script])).toMatchObject({ detail: `${script} is not executable`, fix });
      expect(await inspectCommand([dir])).toMatchObject({ detail: `${dir} is not a file` });
      expect(await inspectCommand(['/nowhere/agent'])).toMatchObject({
        detail: '/nowhere/agent does not exist',
      });
      expect(await inspectCommand(['no-agent'])).toMatchObject({
        detail: 'no-agent is not a program on the PATH',
      });
    });

    it('reports programs of version managers that are not visible in the sandbox', async () => {
      const shims = join(dir, '.pyenv/shims');
      const shim = writeScript('.pyenv/shims/python9', '#!/usr/bin/env bash\nexec pyenv\n');
      const path = `${shims}:/usr/bin:/bin`;
      for (const [name, fix] of [
        ['python9', /does not show .*\.pyenv\/shims\/python9/],
        [shim, /is a shim/],
      ] as const)
        expect(await inspectCommand([name], path)).toMatchObject({
          status: 'failure',
          detail: expect.stringContaining('the sandbox cannot run it'),
          fix: expect.stringMatching(fix),
        });
      writeScript('.pyenv/shims/sh', '#!/usr/bin/env bash\n');
      expect((await inspectCommand(['sh'], path))?.fix).toMatch(
        /but the sandbox shows only \/(usr\/)?bin\/sh/,
      );
      writeScript('.nvm/bin/node9', '');
      const script = writeScript('cli', '#!/usr/bin/env node9\n');
      expect((await inspectCommand([script], `${join(dir, '.nvm/bin')}:/usr/bin`))?.fix).toContain(
        'needs node9',
      );
    });
  });
});

import { createAgents } from '@mergexo/agents';
import { refuseBrokenSandbox } from './refuse-broken-sandbox.js';

const broken = { kind: 'unusable', reason: 'bwrap: Creating new namespace failed' } as const;
const works = { kind: 'works' } as const;
const working = { ...works, program: '/usr/bin/bwrap' };

type Machine = Parameters<typeof refuseBrokenSandbox>[0] & { sandbox?: 'auto' | 'none' };

describe('refuseBrokenSandbox', () => {
  const check = ({ sandbox = 'auto', ...machine }: Machine, adapters: readonly string[]) => {
    const host = { env: {}, passEnv: [], runsDir: '/nowhere', readOnlyPaths: [] };
    const settings = { command: { argv: ['/bin/agent'] } };
    const agents = createAgents({ host, sandbox, ...machine, settings, limits: { wallMs: 1 } });
    return () => refuseBrokenSandbox(machine, agents, adapters);
  };

  it.each<[string, Machine, string[]]>([
    ['bubblewrap does not work', { bubblewrap: broken }, ['claude', 'command', 'claude']],
    ['no sandbox works for Codex', { bubblewrap: broken, codexProbe: broken }, ['codex', 'codex']],
    ['Codex cannot nest its own sandbox', { bubblewrap: working, codexProbe: broken }, ['codex']],
  ])('refuses to start if %s, and names the setting of the container', (_when, machine, adapters) => {
    expect(check(machine, adapters)).toThrow(
      /^This worker cannot start any agent\. \w+: .*Creating new namespace failed.*`security_opt` must contain seccomp=unconfined/,
    );
  });

  it.each<[string, Machine, string[]]>([
    ['bubblewrap works', { bubblewrap: working }, ['claude']],
    ['an agent is only missing', { bubblewrap: working }, ['codex']],
    ['one of the agents can start', { bubblewrap: broken, codexProbe: works }, ['claude', 'codex']],
    ['the operator disabled the sandbox', { bubblewrap: broken, sandbox: 'none' }, ['command']],
  ])('starts if %s', (_when, machine, adapters) => {
    expect(check(machine, adapters)).not.toThrow();
  });
});

import { inspectTests } from './inspect-agents.js';
import type { Bubblewrap, SandboxMode, TestsNetwork } from './sandbox/sandbox.js';

const MISSING: Bubblewrap = { kind: 'unusable', reason: 'bubblewrap (bwrap) is not installed' };
const WORKS: Bubblewrap = { kind: 'works', program: '/usr/bin/bwrap' };

const AUTO = { sandbox: 'auto', requiredTestsSandbox: 'auto', setupNetwork: 'all' } as const;

describe('inspectTests', () => {
  it.each<[SandboxMode, 'auto' | 'none', Bubblewrap, string]>([
    ['auto', 'auto', WORKS, 'ok'],
    ['auto', 'auto', MISSING, 'failure'],
    ['bwrap', 'auto', MISSING, 'failure'],
    ['auto', 'none', MISSING, 'ok'],
    ['none', 'auto', MISSING, 'ok'],
  ])(
    'with the agent sandbox %s, the test sandbox %s and bubblewrap %j, reports %s',
    (sandbox, requiredTestsSandbox, bubblewrap, status) => {
      const modes = {
        sandbox,
        requiredTestsSandbox,
        setupNetwork: 'all' as const,
        requiredTestsNetwork: 'all' as const,
        bubblewrap,
      };
      const [found, ...more] = inspectTests(['acme/app'], modes);
      expect([found?.adapter, found?.status, more]).toEqual(['tests', status, []]);
      expect(found?.detail).toContain('acme/app');
      if (status === 'failure') expect(found?.fix).toContain('required_tests_sandbox = "none"');
    },
  );

  it('reports nothing if no repository has required tests', () => {
    expect(inspectTests([], { ...AUTO, requiredTestsNetwork: 'all', bubblewrap: MISSING })).toEqual([]);
  });

  it.each<TestsNetwork>(['none', 'allow-list'])(
    'reports the network setting "%s" in a sandbox, and a failure without a sandbox',
    (requiredTestsNetwork) => {
      const inspectIn = (sandbox: 'auto' | 'none') =>
        inspectTests(['acme/app'], { ...AUTO, sandbox, requiredTestsNetwork, bubblewrap: WORKS });
      expect(inspectIn('none')).toMatchObject([
        { status: 'failure', detail: expect.stringContaining('needs bubblewrap') },
      ]);
      expect(inspectIn('auto')).toMatchObject([
        { status: 'ok', detail: expect.stringContaining(`network: ${requiredTestsNetwork}`) },
      ]);
    },
  );
});

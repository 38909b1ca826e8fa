import { inspectTests } from './inspect-agents.js';
import type { Bubblewrap, SandboxMode } from './sandbox/sandbox.js';

const MISSING: Bubblewrap = { kind: 'unusable', reason: 'bubblewrap (bwrap) is not installed' };
const WORKS: Bubblewrap = { kind: 'works', program: '/usr/bin/bwrap' };

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
      const [found, ...more] = inspectTests(['acme/app'], { sandbox, requiredTestsSandbox, bubblewrap });
      expect([found?.adapter, found?.status, more]).toEqual(['tests', status, []]);
      expect(found?.detail).toContain('acme/app');
      if (status === 'failure') expect(found?.fix).toContain('required_tests_sandbox = "none"');
    },
  );

  it('reports nothing if no repository has required tests', () => {
    expect(inspectTests([], { sandbox: 'auto', requiredTestsSandbox: 'auto', bubblewrap: MISSING })).toEqual(
      [],
    );
  });
});

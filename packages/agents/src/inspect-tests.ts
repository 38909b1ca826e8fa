import type { AgentReport } from './inspect-agents.js';
import { type Bubblewrap, chooseTestsSandbox, type SandboxMode } from './sandbox/sandbox.js';

type InspectTestsOptions = {
  sandbox: SandboxMode;
  requiredTestsSandbox: 'auto' | 'none';
  bubblewrap: Bubblewrap;
};

/** Reports whether the required tests of these repositories can run on this machine. */
export function inspectTests(repos: readonly string[], options: InspectTestsOptions): AgentReport[] {
  if (repos.length === 0) return [];
  const choice = chooseTestsSandbox(options, options.bubblewrap);
  const names = repos.join(', ');
  if (choice.kind === 'refused') {
    const detail = `required_tests of ${names} cannot run: ${choice.reason}`;
    return [{ adapter: 'tests', status: 'failure', detail, fix: choice.fix }];
  }
  const how = choice.sandbox.kind === 'bwrap' ? 'confined by bubblewrap' : 'not confined, as configured';
  return [{ adapter: 'tests', status: 'ok', detail: `required_tests of ${names}; ${how}` }];
}

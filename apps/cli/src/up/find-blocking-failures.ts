import { ADAPTER_NAMES } from '@mergexo/core/agent';
import type { Finding } from '../checks/finding.js';

/**
 * Checks that must pass before MergeXO can work. The list omits `database`, because the poller creates the
 * database, and `github`, because GitHub may recover.
 */
const ALWAYS_REQUIRED: readonly string[] = ['node', 'git', 'config', 'disk', 'redis', 'login'];
const AGENT_CHECKS: readonly string[] = ADAPTER_NAMES;
const REPOSITORY_CHECKS: readonly string[] = ['repo', 'access', 'branch', 'people', 'tests'];

/** Returns the failures that make a start pointless. Other failures can be fixed while MergeXO runs. */
export function findBlockingFailures(findings: readonly Finding[], { repos }: { repos: number }): Finding[] {
  const failures = findings.filter(({ status }) => status === 'failure');
  const agents = findings.filter(({ name }) => AGENT_CHECKS.includes(name));
  const allAgentsFail = agents.length > 0 && agents.every(({ status }) => status === 'failure');
  // A new installation gets its database and secret from the poller. An existing database needs its old secret.
  const isNew = failures.some(({ name }) => name === 'database');
  return failures.filter(
    ({ name }) =>
      ALWAYS_REQUIRED.includes(name) ||
      (name === 'secret' && !isNew) ||
      (allAgentsFail && AGENT_CHECKS.includes(name)) ||
      // With several repositories, MergeXO can work on the others.
      (repos === 1 && REPOSITORY_CHECKS.includes(name)),
  );
}

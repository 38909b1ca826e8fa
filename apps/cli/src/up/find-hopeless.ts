import { ADAPTER_NAMES } from '@mergexo/core/agent';
import type { Finding } from '../checks/finding.js';

/** Without these nothing can work. A missing database is made by the poller, and GitHub may come back. */
const NEEDED: readonly string[] = ['node', 'git', 'config', 'disk', 'redis', 'login'];
const OF_AGENTS: readonly string[] = ADAPTER_NAMES;
const OF_REPOSITORY: readonly string[] = ['repo', 'access', 'branch', 'people', 'tests'];

/** The failures that make a start useless; everything else is reported and may be fixed while MergeXO runs. */
export function findHopeless(findings: readonly Finding[], { repos }: { repos: number }): Finding[] {
  const failures = findings.filter(({ status }) => status === 'failure');
  const agents = findings.filter(({ name }) => OF_AGENTS.includes(name));
  const allAgentsFail = agents.length > 0 && agents.every(({ status }) => status === 'failure');
  // The poller makes a database and its secret together; beside an existing database it accepts the old secret only.
  const isNew = failures.some(({ name }) => name === 'database');
  return failures.filter(
    ({ name }) =>
      NEEDED.includes(name) ||
      (name === 'secret' && !isNew) ||
      (allAgentsFail && OF_AGENTS.includes(name)) ||
      // With several repositories the others can be worked on.
      (repos === 1 && OF_REPOSITORY.includes(name)),
  );
}

import type { Agents, AgentsOptions } from '@mergexo/agents';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';

type Machine = Pick<AgentsOptions, 'bubblewrap' | 'codexProbe'>;

/**
 * Fails if no configured agent can start, because no sandbox works on this machine. Such a worker would take turns that
 * other workers could run, and delay each of them by minutes. One agent that can start is enough.
 */
export function refuseBrokenSandbox(
  { bubblewrap, codexProbe }: Machine,
  agents: Agents,
  adapters: readonly string[],
): void {
  if (bubblewrap.kind === 'works' && codexProbe?.kind !== 'unusable') return;
  const found = [...new Set(adapters)].map((name) => ({ name, found: agents.find(name) }));
  const reasons = found.flatMap(({ name, found }) =>
    found.kind === 'refused' ? [`${name}: ${found.reason.replace(/\.$/, '')}`] : [],
  );
  if (reasons.length < found.length) return;
  throw new Failure(
    'unavailable',
    `This worker cannot start any agent. ${reasons.join('. ')}. In a container, \`security_opt\` must contain ` +
      'seccomp=unconfined, apparmor=unconfined and systempaths=unconfined, as in docker-compose.yml. On Ubuntu 23.10 and ' +
      'later, the host must allow namespaces: sysctl kernel.apparmor_restrict_unprivileged_userns=0. Then start the worker ' +
      `again; \`${MERGEXO_CLI} doctor\` checks the sandbox.`,
  );
}

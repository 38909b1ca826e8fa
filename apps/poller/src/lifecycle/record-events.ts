import type { LogCode } from '@mergexo/core/basics';
import type { RuntimeEvent, RuntimeEventType } from '@mergexo/core/timeline';
import type { State } from '@mergexo/state';
import type { Records } from '../tools.js';

const LOUD: ReadonlySet<RuntimeEventType> = new Set([
  'worker_heartbeat_timeout',
  'turn_failed',
  'turn_blocked',
  'agent_limit_reached',
  'ledger_message_set_aside',
  'ledger_message_unproven',
]);

/** Writes each event as a row and a log line. Call this in the transaction that makes the described change. */
export function recordEvents(tools: Records, events: readonly RuntimeEvent[]): void {
  for (const event of events) {
    tools.state.recordEvent(event, tools.now());
    if (event.type === 'worker_heartbeat') continue;
    const write = LOUD.has(event.type) ? tools.log.warn : tools.log.info;
    const code: LogCode = event.type;
    write.call(tools.log, { ...describe(tools.state, event), code }, event.type);
  }
}

function describe(state: State, event: RuntimeEvent): Record<string, unknown> {
  const repository = typeof event.repoId === 'number' ? state.readRepository(event.repoId) : undefined;
  const facts = {
    repo_full_name: repository && `${repository.owner}/${repository.name}`,
    run_id: event.runId,
    issue_number: event.issueNumber,
    pr_number: event.prNumber,
    turn_key: event.turnKey,
    event_key: event.eventKey,
    action_token: event.actionToken,
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null);
  return { ...Object.fromEntries(known), ...event.payload };
}

import type { Step, TurnMessage } from '@mergexo/core/ledger';
import { buildTurnEvent, type RuntimeEvent } from '@mergexo/core/timeline';
import { attemptOf, type Turn } from '@mergexo/core/turns';

/** `fallback`: the agent that works instead of the repository's own. */
type Circumstances = { message: TurnMessage; fallback: string | undefined };

/** Returns the runtime events that a ledger step causes. Accepted progress and repeated messages cause none. */
export function describeStep(before: Turn, step: Step, { message, fallback }: Circumstances): RuntimeEvent[] {
  const { turn, verdict } = step;
  const events: RuntimeEvent[] = [];
  if (verdict.kind === 'refused' || verdict.kind === 'stop') {
    events.push(
      buildTurnEvent('ledger_refused', turn, {
        message: message.kind,
        answer: verdict.kind,
        reason: verdict.reason,
      }),
    );
  }
  if (turn === before) return events;
  if (
    message.kind === 'begin' &&
    turn.crashes + turn.infrastructureFailures > before.crashes + before.infrastructureFailures
  ) {
    const cause = turn.crashes > before.crashes ? 'crash' : 'infrastructure';
    events.push(
      buildTurnEvent('turn_failed', turn, { cause, reason: turn.reason, not_before: turn.notBefore }),
    );
  }
  if (attemptOf(turn) > attemptOf(before)) {
    const instead = fallback === undefined ? {} : { fallback_agent: fallback };
    events.push(
      buildTurnEvent('turn_begun', turn, { worker: turn.workerId, crashes: turn.crashes, ...instead }),
    );
  }
  const isFrozen = before.planDigest === null && turn.planDigest !== null;
  const hosts =
    message.kind === 'fail' || (message.kind === 'freeze' && isFrozen) ? message.refusedHosts : [];
  if (hosts !== undefined && hosts.length > 0) events.push(buildTurnEvent('hosts_refused', turn, { hosts }));
  if (isFrozen) events.push(buildTurnEvent('turn_frozen', turn));
  if (before.state !== 'speaking' && turn.state === 'speaking')
    events.push(buildTurnEvent('turn_finished', turn));
  if (turn.state === 'superseded')
    events.push(buildTurnEvent('turn_superseded', turn, { reason: turn.reason }));
  if (message.kind === 'release')
    events.push(buildTurnEvent('turn_released', turn, { reason: message.reason }));
  if (message.kind === 'fail') {
    events.push(
      buildTurnEvent('turn_failed', turn, {
        cause: message.cause,
        reason: message.reason,
        not_before: turn.notBefore,
      }),
    );
  }
  if (turn.state === 'blocked') events.push(buildTurnEvent('turn_blocked', turn, { reason: turn.reason }));
  return events;
}

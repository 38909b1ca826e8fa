import type { TurnMessage } from '@mergexo/core/ledger';
import type { World } from './ledger-world.js';

/** Checks the invariants after a schedule. Reads messages, responses and the final states of turns in the database. */
export function checkLedger(world: World): string[] {
  return world.turnKeys.flatMap((turnKey) => [
    ...checkEnd(world, turnKey),
    ...checkPushes(world, turnKey),
    ...checkAnswers(world, turnKey),
  ]);
}

function checkEnd(world: World, turnKey: string): string[] {
  const turn = world.readTurn(turnKey);
  const events = world.listEvents(turnKey).map((event) => event.type);
  const completed = events.filter((type) => type === 'turn_completed').length;
  const blocked = events.filter((type) => type === 'turn_blocked').length;
  const pushed = world.record.pushes.filter((push) => push.turnKey === turnKey);
  if (turn?.state === 'done') {
    if (completed !== 1) return [`done, but completed ${completed} times`];
    if (pushed.length !== 1) return [`done, but ${pushed.length} commits were pushed`];
    return blocked > 0 ? ['blocked and done'] : [];
  }
  if (turn?.state === 'blocked')
    return completed + blocked === 1 ? [] : [`blocked ${blocked}, completed ${completed}`];
  return [`did not end: ${turn?.state}, ${turn?.reason}`];
}

function checkPushes(world: World, turnKey: string): string[] {
  const shas = world.record.pushes.filter((push) => push.turnKey === turnKey).map((push) => push.sha);
  if (shas.length > 1) return [`two plans were sent: ${shas.join(', ')}`];
  const [sent] = shas;
  const stored = world.readPlan(turnKey)?.plan.commit?.sha;
  return sent !== undefined && sent !== stored ? [`sent ${sent}, but the stored plan is ${stored}`] : [];
}

/** Checks the responses in order: attempts only grow, no stale attempt is accepted, and no frozen plan is replaced. */
function checkAnswers(world: World, turnKey: string): string[] {
  const problems: string[] = [];
  let newest = 0;
  let frozenSha: string | undefined;
  for (const { message, answer } of world.record.answers.filter(
    (entry) => entry.message.turnKey === turnKey,
  )) {
    if (answer.kind === 'begun') {
      if (answer.attempt < newest) problems.push(`attempt ${answer.attempt} begun after ${newest}`);
      newest = answer.attempt;
      if (frozenSha !== undefined && answer.frozen?.plan.commit?.sha !== frozenSha) {
        problems.push('the agent would run again after the freeze');
      }
    }
    if (answer.kind !== 'ok' || !isStrong(message)) continue;
    if (message.attempt !== newest)
      problems.push(`stale ${message.kind} of ${message.attempt} won over ${newest}`);
    if (message.kind !== 'freeze') continue;
    const sha = message.parcel.plan.commit?.sha;
    if (frozenSha !== undefined && sha !== frozenSha)
      problems.push(`plan ${frozenSha} was replaced by ${sha}`);
    frozenSha ??= sha;
  }
  return problems;
}

function isStrong(message: TurnMessage): message is Extract<TurnMessage, { kind: 'freeze' | 'finish' }> {
  return message.kind === 'freeze' || message.kind === 'finish';
}

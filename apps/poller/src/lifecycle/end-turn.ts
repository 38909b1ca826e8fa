import { type Action, type ActionTarget, buildTarget } from '@mergexo/core/actions';
import { buildTurnEvent } from '@mergexo/core/timeline';
import { coverEvents, FeedbackContext, type PlanResult, type Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import type { Records } from '../tools.js';
import { markUnsent } from './action.js';
import { readPullOf } from './read-pull-of.js';
import { recordEvents } from './record-events.js';
import { endRound } from './review/complete-round.js';
import { dropFix } from './review/end-fix.js';

const EVENT_TYPES = {
  blocked: 'turn_blocked',
  cancelled: 'turn_cancelled',
  superseded: 'turn_superseded',
} as const;

/**
 * Ends a turn early and drops its unsent actions. The outbox still settles actions that may have been sent, and the
 * turn keeps its events until the outbox is done. Requires a transaction.
 */
export function endTurn(
  tools: Records,
  turn: Turn,
  { end, reason }: { end: keyof typeof EVENT_TYPES; reason: string },
): Turn {
  const { state, now } = tools;
  const ended: Turn = { ...turn, state: end, reason, workerId: null, endedAt: now() };
  state.saveTurn(ended);
  recordEvents(tools, [buildTurnEvent(EVENT_TYPES[end], ended, { reason })]);
  dropUnsent(tools, ended);
  return ended;
}

export function dropUnsent(tools: Records, turn: Turn): void {
  const { state } = tools;
  state.forgetBundle(turn.turnKey);
  endRound(tools, turn, 'outdated');
  dropFix(tools, turn);
  for (const action of state.listActionsOfTurn(turn.turnKey).filter((other) => other.state === 'planned')) {
    markUnsent(tools, action, { code: 'turn_ended', state: turn.state });
  }
  releaseEvents(tools, turn);
}

/** Once every action is settled, marks answered events as processed. Other events become pending or are skipped. */
export function releaseEvents({ state, now }: Records, turn: Turn): void {
  if (state.countUnsettledActions(turn.turnKey) > 0) return;
  const answered = findAnswered(state, turn);
  const events = state
    .listEventsOfFeedbackTurn(turn.turnKey)
    .filter(({ processedAt }) => processedAt === null);
  const status = readPullOf(state, turn)?.status;
  const isOver = status === 'merged' || status === 'closed';
  for (const event of events) {
    if (answered.has(event.eventKey)) state.markEventProcessed(event, now());
    else if (isOver) state.markEventProcessed(event, now(), { code: 'pull_ended', status });
    else state.unclaimEvents(event.repoId, [event.eventKey]);
  }
}

function findAnswered(state: State, turn: Turn): ReadonlySet<string> {
  const result = state.readPlan(turn.turnKey)?.plan.result;
  if (result?.kind !== 'answer') return new Set();
  const said = new Set(
    state
      .listActionsOfTurn(turn.turnKey)
      .filter(({ state: action }) => action === 'settled' || action === 'tombstone')
      .map(({ target }) => target),
  );
  const covered = listCovered(state, turn, result);
  return new Set(
    covered.filter(({ targets }) => targets.some((target) => said.has(target))).map(({ key }) => key),
  );
}

function listCovered(
  state: State,
  turn: Turn,
  result: Extract<PlanResult, { kind: 'answer' }>,
): { key: string; targets: string[] }[] {
  const { events } = FeedbackContext.parse(state.readTurnContext(turn.turnKey));
  const { byReply, byGeneral } = coverEvents(events, result);
  return [
    ...[...byReply].flatMap(([id, keys]) =>
      keys.map((key) => ({
        key,
        targets: [
          buildTarget({ kind: 'review', commentId: id }),
          buildTarget({ kind: 'instead-of-reply', commentId: id }),
        ],
      })),
    ),
    ...byGeneral.map((key) => ({
      key,
      targets: [buildTarget({ kind: 'pull', number: turn.prNumber ?? 0 })],
    })),
  ];
}

/** Builds a comment on the pull request that replaces a refused reply or review. */
export function planFallback(
  action: Action,
  target: Extract<ActionTarget, { kind: 'instead-of-reply' | 'instead-of-review' }>,
  text: string,
): Action {
  return {
    ...action,
    id: `${action.id}-fallback`,
    kind: 'general_comment',
    target: buildTarget(target),
    state: 'planned',
    payload: { text },
    sends: 0,
    remoteId: null,
    error: null,
  };
}

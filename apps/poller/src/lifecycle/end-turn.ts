import { type Action, buildGeneralTarget, buildReplyTarget } from '@mergexo/core/actions';
import { buildTurnEvent } from '@mergexo/core/timeline';
import { coverEvents, FeedbackContext, type PlanResult, type Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import type { Records } from '../tools.js';
import { markUnsent } from './action.js';
import { recordEvents } from './record-events.js';
import { endRound } from './review/complete-round.js';
import { dropFix } from './review/end-fix.js';

const EVENT_TYPES = {
  blocked: 'turn_blocked',
  cancelled: 'turn_cancelled',
  superseded: 'turn_superseded',
} as const;

/**
 * Ends a turn before its time. What it never said stays unsaid; what may have been said is decided by the outbox, and
 * until then its events belong to it. Inside a transaction.
 */
export function endTurn(tools: Records, turn: Turn, end: keyof typeof EVENT_TYPES, reason: string): Turn {
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
    markUnsent(tools, action, `the turn is ${turn.state}`);
  }
  releaseEvents(tools, turn);
}

/** Answered events are processed and the others wait for another turn, once nothing of the turn is undecided. */
export function releaseEvents({ state, now }: Records, turn: Turn): void {
  if (state.countUnsettledActions(turn.turnKey) > 0) return;
  const answered = findAnswered(state, turn);
  const events = state
    .listEventsOfFeedbackTurn(turn.turnKey)
    .filter(({ processedAt }) => processedAt === null);
  const status = turn.prNumber === null ? undefined : state.readPull(turn.repoId, turn.prNumber)?.status;
  const isOver = status === 'merged' || status === 'closed';
  for (const event of events) {
    if (answered.has(event.eventKey)) state.markEventProcessed(event, now());
    else if (isOver) state.markEventProcessed(event, now(), `the pull request was ${status}`);
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
      keys.map((key) => ({ key, targets: [buildReplyTarget(id), buildFallbackTarget(id)] })),
    ),
    ...byGeneral.map((key) => ({ key, targets: [buildGeneralTarget(turn.prNumber ?? 0)] })),
  ];
}

/** Where a reply goes that its thread did not take: to the conversation of the pull request. */
export function buildFallbackTarget(commentId: number): string {
  return `instead-of-reply:${commentId}`;
}

export function fallbackTargetOf({ target }: Pick<Action, 'target'>): number | undefined {
  const [, id] = /^instead-of-reply:(\d+)$/.exec(target) ?? [];
  return id === undefined ? undefined : Number(id);
}

export function planFallback(action: Action, commentId: number, words: string): Action {
  return planComment(action, buildFallbackTarget(commentId), words);
}

/** A review that GitHub did not take: who reads the verdict must find out why. */
export function planReviewFallback(action: Action, words: string): Action {
  return planComment(action, 'instead-of-review', words);
}

function planComment(action: Action, target: string, words: string): Action {
  return {
    ...action,
    id: `${action.id}-fallback`,
    kind: 'general_comment',
    target,
    state: 'planned',
    words,
    sends: 0,
    remoteId: null,
    error: null,
  };
}

import { createHash } from 'node:crypto';
import type { Plan } from './plan.js';
import type { Turn } from './turn.js';

export const ACTION_KINDS = [
  'open_pull',
  'status_comment',
  'wait_comment',
  'block_notice',
  'park_notice',
] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

export const ACTION_STATES = ['planned', 'sending', 'settled', 'refused', 'tombstone'] as const;
export type ActionState = (typeof ACTION_STATES)[number];

/** One write to GitHub. What it says is rendered when it is sent, from the plan alone. */
export type Action = {
  id: string;
  repoId: number;
  turnKey: string | null;
  /** The issue or pull request in whose order the action is sent. */
  thread: number;
  position: number;
  kind: ActionKind;
  target: string;
  state: ActionState;
  remoteId: number | null;
  /** How often its request left us: a copy on GitHub is ours to remove only if there were two. */
  sends: number;
  error: string | null;
};

/** The outbox of a turn, made in the transaction that freezes its plan. */
export function planActions(turn: Turn, plan: Plan): Action[] {
  const thread = turn.prNumber ?? turn.issueNumber;
  if (thread === null || turn.runId === null) return [];
  const make = (kind: ActionKind, target: string, position: number): Action => ({
    id: computeActionId(turn.turnKey, kind, target),
    repoId: turn.repoId,
    turnKey: turn.turnKey,
    thread,
    position,
    kind,
    target,
    state: 'planned',
    remoteId: null,
    sends: 0,
    error: null,
  });
  if (plan.result.kind === 'wait') return [make('wait_comment', `issue:${thread}`, 0)];
  return [
    make('open_pull', `branch:${plan.commit?.branch ?? ''}`, 0),
    make('status_comment', `issue:${thread}`, 1),
  ];
}

/** Said once for a turn that cannot go on, apart from the turn's own words, which may never be sent. */
export function planBlockNotice(turn: Turn): Action[] {
  const thread = turn.prNumber ?? turn.issueNumber;
  if (thread === null) return [];
  return [
    {
      id: computeActionId(turn.turnKey, 'block_notice', `thread:${thread}`),
      repoId: turn.repoId,
      turnKey: turn.turnKey,
      thread,
      position: 100,
      kind: 'block_notice',
      target: `thread:${thread}`,
      state: 'planned',
      remoteId: null,
      sends: 0,
      error: null,
    },
  ];
}

/** Said once per run and cap: it belongs to no turn, so its cause names it. */
export function planParkNotice(
  run: { id: number; repoId: number; issueNumber: number },
  cap: string,
): Action {
  const target = `run:${run.id}`;
  return {
    id: createHash('sha256')
      .update(JSON.stringify(['park_notice', target, cap]))
      .digest('hex'),
    repoId: run.repoId,
    turnKey: null,
    thread: run.issueNumber,
    position: 0,
    kind: 'park_notice',
    target,
    state: 'planned',
    remoteId: null,
    sends: 0,
    error: null,
  };
}

/** Of the turn and the target alone: no wording and nothing that a retry can change. */
export function computeActionId(turnKey: string, kind: ActionKind, target: string): string {
  return createHash('sha256')
    .update(JSON.stringify([turnKey, kind, target]))
    .digest('hex');
}

export function isSettled({ state }: Pick<Action, 'state'>): boolean {
  return state === 'settled' || state === 'refused' || state === 'tombstone';
}

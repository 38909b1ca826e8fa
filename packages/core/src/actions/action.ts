import { createHash } from 'node:crypto';
import type { ActionEnd } from '../reasons/action-end.js';
import { listLinkedThreads } from '../turns/feedback/cover-events.js';
import type { Plan } from '../turns/plan.js';
import type { Turn } from '../turns/turn.js';
import type { ActionContent } from './action-content.js';
import type { ActionKind, NoticeKind } from './action-kind.js';
import { type ActionTarget, buildTarget } from './action-target.js';

export const ACTION_STATES = ['planned', 'sending', 'settled', 'refused', 'tombstone'] as const;
export type ActionState = (typeof ACTION_STATES)[number];

type Fields = {
  id: string;
  repoId: number;
  turnKey: string | null;
  /** The issue or pull request that the action belongs to. Actions of one thread are sent in order. */
  thread: number;
  position: number;
  /** Made by `buildTarget`. */
  target: string;
  state: ActionState;
  remoteId: number | null;
  /** Number of requests sent. MergeXO may delete a duplicate post only if it sent at least two requests. */
  sends: number;
  error: ActionEnd | null;
};

/** One write to GitHub. */
export type Action<Kind extends ActionKind = ActionKind> = Fields & ActionContent<Kind>;

type Planned = Pick<Fields, 'id' | 'repoId' | 'turnKey' | 'thread' | 'position' | 'target'> & ActionContent;

function plan(planned: Planned): Action {
  return { ...planned, state: 'planned', remoteId: null, sends: 0, error: null };
}

/** Plans one action of a turn. Call this directly for an action that depends on more than the turn's plan. */
export function planTurnAction(
  turn: Pick<Turn, 'repoId' | 'turnKey'>,
  about: Pick<Fields, 'thread' | 'position' | 'target'> & ActionContent,
): Action {
  const { repoId, turnKey } = turn;
  return plan({ ...about, id: computeActionId(turnKey, about.kind, about.target), repoId, turnKey });
}

/** The events that a feedback turn answers. */
type Events = Parameters<typeof listLinkedThreads>[0];

/** Plans all actions of a turn, in the transaction that freezes its plan. */
export function planActions(turn: Turn, plan: Plan, events: Events = []): Action[] {
  const thread = turn.prNumber ?? turn.issueNumber;
  if (thread === null || turn.runId === null) return [];
  return listTargets(thread, plan, events).map(([kind, target], position) =>
    planTurnAction(turn, { thread, position, target: buildTarget(target), kind, payload: null }),
  );
}

/** The kinds whose post is rendered from the frozen plan. */
type FrozenKind = {
  [Kind in ActionKind]: null extends ActionContent<Kind>['payload'] ? Kind : never;
}[ActionKind];
type Targeted = [FrozenKind, ActionTarget];

function listTargets(thread: number, { result, commit }: Plan, events: Events): Targeted[] {
  switch (result.kind) {
    case 'wait':
      return [['wait_comment', { kind: 'issue', number: thread }]];
    case 'pull':
      return [
        ['open_pull', { kind: 'branch', name: commit?.branch ?? '' }],
        ['status_comment', { kind: 'issue', number: thread }],
      ];
    case 'answer':
      return [
        ...result.replies.map(({ commentId }): Targeted => ['review_reply', { kind: 'review', commentId }]),
        ...(result.general === null
          ? []
          : [['general_comment', { kind: 'pull', number: thread }] satisfies Targeted]),
        // Links come after the general comment that they point to.
        ...listLinkedThreads(events, result).map(
          (rootId): Targeted => ['thread_link', { kind: 'link', rootId }],
        ),
        ...(result.rerun === undefined
          ? []
          : [['rerun_checks', { kind: 'checks', ...result.rerun }] satisfies Targeted]),
      ];
    case 'review':
      return [
        ['post_review', { kind: 'head', sha: result.headSha }],
        ['review_status', { kind: 'head', sha: result.headSha }],
      ];
    // The poller plans the replies of a fix separately, because they depend on which comment contains each finding.
    case 'fix':
    case 'block':
      return [];
  }
}

/** The occasion for a notice. MergeXO posts each notice once per occasion. */
type Occasion = {
  kind: NoticeKind;
  repoId: number;
  thread: number;
  /** Distinguishes this occasion from others of the same kind. */
  cause: readonly (string | number | null)[];
};

/**
 * Plans a notice, which belongs to no turn. Its id comes from its cause, so it is posted once even after a database
 * loss.
 */
export function planNotice(
  notice: Occasion &
    ActionContent<NoticeKind> & {
      /** Null on a pull request without a run. */
      runId: number | null;
      /** The comment that the notice is about, if there is one. */
      commentId?: number;
    },
): Action {
  const { runId, cause: _cause, commentId = null, ...content } = notice;
  const target = buildTarget({ kind: 'run', runId: runId ?? 0, commentId });
  return plan({ ...content, id: computeNoticeId(notice), turnKey: null, position: 0, target });
}

export function computeNoticeId({ kind, repoId, thread, cause }: Occasion): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, repoId, thread, ...cause]))
    .digest('hex');
}

/** Computes the id of a redirect. The id depends only on the comment, so each comment is redirected once. */
export function computeRedirectId(about: { repoId: number; issueNumber: number; commentId: number }): string {
  const { repoId, issueNumber: thread, commentId } = about;
  return computeNoticeId({ kind: 'redirect', repoId, thread, cause: [commentId] });
}

/** Computes the id from the turn, the kind and the target. The text is left out because a retry may change it. */
export function computeActionId(turnKey: string, kind: ActionKind, target: string): string {
  return createHash('sha256')
    .update(JSON.stringify([turnKey, kind, target]))
    .digest('hex');
}

export function isSettled({ state }: Pick<Action, 'state'>): boolean {
  return state === 'settled' || state === 'refused' || state === 'tombstone';
}

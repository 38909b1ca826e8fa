import { createHash } from 'node:crypto';
import { listLinkedThreads } from '../turns/feedback/cover-events.js';
import type { Plan } from '../turns/plan.js';
import type { Turn } from '../turns/turn.js';
import type { ActionKind, NoticeKind } from './action-kind.js';

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
  /** Words that were decided when the action was planned; null where the frozen plan has them. */
  words: string | null;
};

type Planned = Pick<
  Action,
  'id' | 'repoId' | 'turnKey' | 'thread' | 'position' | 'kind' | 'target' | 'words'
>;

function plan(planned: Planned): Action {
  return { ...planned, state: 'planned', remoteId: null, sends: 0, error: null };
}

/** One that is planned besides those of the plan alone. */
export function planTurnAction(
  turn: Pick<Turn, 'repoId' | 'turnKey'>,
  about: Pick<Action, 'thread' | 'position' | 'kind' | 'target' | 'words'>,
): Action {
  const { repoId, turnKey } = turn;
  return plan({ ...about, id: computeActionId(turnKey, about.kind, about.target), repoId, turnKey });
}

/** The outbox of a turn, made in the transaction that freezes its plan. */
export function planActions(
  turn: Turn,
  { result, commit }: Plan,
  /** What a feedback turn answers. */
  events: Parameters<typeof listLinkedThreads>[0] = [],
): Action[] {
  const thread = turn.prNumber ?? turn.issueNumber;
  if (thread === null || turn.runId === null) return [];
  return listTargets(thread, { result, commit, events }).map(([kind, target], position) =>
    planTurnAction(turn, { thread, position, kind, target, words: null }),
  );
}

function listTargets(
  thread: number,
  {
    result,
    commit,
    events,
  }: Pick<Plan, 'result' | 'commit'> & { events: Parameters<typeof listLinkedThreads>[0] },
): [ActionKind, string][] {
  switch (result.kind) {
    case 'wait':
      return [['wait_comment', `issue:${thread}`]];
    case 'pull':
      return [
        ['open_pull', `branch:${commit?.branch ?? ''}`],
        ['status_comment', `issue:${thread}`],
      ];
    case 'answer':
      return [
        ...result.replies.map(({ commentId }): [ActionKind, string] => [
          'review_reply',
          buildReplyTarget(commentId),
        ]),
        ...(result.general === null
          ? []
          : [['general_comment', buildGeneralTarget(thread)] satisfies [ActionKind, string]]),
        // After the general comment, which they link to.
        ...listLinkedThreads(events, result).map((rootId): [ActionKind, string] => [
          'thread_link',
          buildLinkTarget(rootId),
        ]),
        ...(result.rerun === undefined
          ? []
          : [['rerun_checks', buildRerunTarget(result.rerun)] satisfies [ActionKind, string]]),
      ];
    case 'review':
      return [
        ['post_review', `head:${result.headSha}`],
        ['review_status', `head:${result.headSha}`],
      ];
    // What is said about its findings depends on where they stand on GitHub.
    case 'fix':
    case 'block':
      return [];
  }
}

/** The attempt that failed: once GitHub shows a later one, the run was repeated. */
export function buildRerunTarget({ runId, attempt }: { runId: number; attempt: number }): string {
  return `checks:${runId}:${attempt}`;
}

export function rerunTargetOf({
  target,
}: Pick<Action, 'target'>): { runId: number; attempt: number } | undefined {
  const [, runId, attempt] = /^checks:(\d+):(\d+)$/.exec(target) ?? [];
  return runId === undefined ? undefined : { runId: Number(runId), attempt: Number(attempt) };
}

export function buildReplyTarget(commentId: number): string {
  return `review:${commentId}`;
}

/** The comment that a reply answers; undefined for every other action. */
export function replyTargetOf({ target }: Pick<Action, 'target'>): number | undefined {
  const [, id] = /^review:(\d+)$/.exec(target) ?? [];
  return id === undefined ? undefined : Number(id);
}

export function buildGeneralTarget(prNumber: number): string {
  return `pull:${prNumber}`;
}

export function buildLinkTarget(rootId: number): string {
  return `link:${rootId}`;
}

/** The first comment of the thread that gets a link to the general comment; undefined for every other action. */
export function linkTargetOf({ target }: Pick<Action, 'target'>): number | undefined {
  const [, id] = /^link:(\d+)$/.exec(target) ?? [];
  return id === undefined ? undefined : Number(id);
}

export function buildFindingTarget({ id, commentId }: { id: number; commentId: number }): string {
  return `finding:${id}:${commentId}`;
}

/** The comment on GitHub that carries a finding; undefined for every other action. */
export function findingTargetOf({
  target,
}: Pick<Action, 'target'>): { id: number; commentId: number } | undefined {
  const [, id, commentId] = /^finding:(\d+):(\d+)$/.exec(target) ?? [];
  return id === undefined ? undefined : { id: Number(id), commentId: Number(commentId) };
}

/** What belongs to no turn is named by its cause, and says what was decided when it was planned. */
export function planNotice(notice: {
  kind: NoticeKind;
  repoId: number;
  /** Null on a pull request that is nobody's run. */
  runId: number | null;
  thread: number;
  /** Tells one occasion from another; the same occasion is told once. */
  cause: readonly (string | number | null)[];
  words: string;
  /** The comment that it is about, where there is one. */
  commentId?: number;
}): Action {
  const { kind, repoId, runId, thread, cause, words, commentId } = notice;
  return plan({
    id: createHash('sha256')
      .update(JSON.stringify([kind, repoId, thread, ...cause]))
      .digest('hex'),
    repoId,
    turnKey: null,
    thread,
    position: 0,
    kind,
    target: commentId === undefined ? `run:${runId ?? 0}` : `run:${runId ?? 0}:comment:${commentId}`,
    words,
  });
}

/** Keyed by the comment alone, so that it is said once, whatever becomes of the records. */
export function planRedirect(about: {
  repoId: number;
  runId: number;
  issueNumber: number;
  commentId: number;
  words: string;
}): Action {
  const { issueNumber, commentId, ...rest } = about;
  return planNotice({ ...rest, kind: 'redirect', thread: issueNumber, cause: [commentId], commentId });
}

/** What a notice belongs to; undefined for what belongs to a turn. */
export function noticeTargetOf({
  target,
}: Pick<Action, 'target'>): { runId: number; commentId: number | null } | undefined {
  const [, runId, commentId] = /^run:(\d+)(?::comment:(\d+))?$/.exec(target) ?? [];
  if (runId === undefined) return undefined;
  return { runId: Number(runId), commentId: commentId === undefined ? null : Number(commentId) };
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

import { formatSince } from '../health/describe-health.js';
import { CAP_END_NAMES, findCapEnd } from '../runs/check-limits.js';
import { describePause, type Pause } from '../runs/pause.js';
import type { RunStatus } from '../runs/run.js';
import type { RunEnd } from '../runs/run-end.js';
import { countOf } from '../text/count-of.js';
import { neutraliseLine } from '../text/neutralise.js';
import { quoteName } from '../text/quote-name.js';
import type { TurnState } from '../turns/turn.js';
import { TURN_KIND_NAMES, type TurnKind } from '../turns/turn-kind.js';

export type StagePull = {
  number: number;
  url: string;
  status: 'awaiting_feedback' | 'blocked' | 'merged' | 'closed';
};

/** The facts that decide the stage of the work on an issue. */
export type StageFacts = {
  run: {
    status: RunStatus;
    endedKind: RunEnd | null;
    blockedKind: string | null;
    error: string | null;
    scheduleReason: string | null;
  };
  pull: (StagePull & { humanReviewRequired: boolean }) | undefined;
  isTakenOver: boolean;
  ignoreLabel: string;
  /** The live turn. `retryAt` is null unless the turn waits after a failure. */
  turn:
    | { kind: TurnKind; state: TurnState; isBegun: boolean; openedAt: number; retryAt: number | null }
    | undefined;
  pause: Pause | undefined;
  /** The usage limit that delays the turn. */
  limit: { adapter: string; until: number } | undefined;
  /** Number of unanswered comments. */
  pending: number;
  now: number;
};

export type Stage = {
  title: string;
  /** What must happen next, if MergeXO cannot continue by itself right now. */
  waitsFor?: string;
  /** True if only a new run changes the stage. */
  isFinal?: boolean;
  /** True if the stage usually ends within minutes without anybody's help. */
  isPassing?: boolean;
};

const MAX_REASON = 300;
const line = (text: string): string =>
  neutraliseLine(text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)} …` : text);

/** Describes the stage of the work on an issue. */
export function describeStage(facts: StageFacts): Stage {
  return describeEnd(facts) ?? describeHold(facts) ?? describeTurn(facts) ?? describeRest(facts);
}

function describeEnd({ run, pull, isTakenOver, ignoreLabel }: StageFacts): Stage | undefined {
  const takeover: Stage = {
    title: 'a person took over, so MergeXO stopped',
    waitsFor: `the removal of the label ${quoteName(ignoreLabel)}`,
  };
  switch (run.status) {
    case 'merged':
      return { title: 'done: the pull request was merged', isFinal: true };
    case 'closed':
    case 'failed':
      if (run.endedKind === 'takeover') return takeover;
      if (pull !== undefined) return { title: 'stopped: the pull request was closed', isFinal: true };
      return {
        title: run.endedKind === 'issue_closed' ? 'stopped: the issue was closed' : 'stopped',
        isFinal: true,
      };
    default:
      return isTakenOver ? takeover : undefined;
  }
}

/** The comment that explains a block or a question has notified people, so the status only refers to it. */
function describeHold({ run, pull, turn, pause }: StageFacts): Stage | undefined {
  if (pull?.status === 'blocked')
    return {
      title: 'blocked',
      waitsFor: `a person; the latest MergeXO notice on ${linkTo(pull)} has the reason and the next step`,
    };
  if (run.status === 'blocked')
    return {
      title: 'blocked',
      waitsFor: 'a person; the latest MergeXO notice below has the reason and the next step',
    };
  // A turn that a worker has begun continues despite the pause.
  if (pause !== undefined && !turn?.isBegun) return { title: 'paused', waitsFor: line(describePause(pause)) };
  const capEnd = turn === undefined ? findCapEnd(run.blockedKind) : undefined;
  if (capEnd !== undefined)
    return {
      title: capEnd === 'capacity' ? 'waiting for capacity' : 'paused by a limit',
      waitsFor: line(`${CAP_END_NAMES[capEnd]} (${run.error})`),
    };
  if (run.status === 'awaiting_issue_followup' && turn === undefined)
    return {
      title: 'waiting for a reply',
      waitsFor: 'a comment on this issue; the latest MergeXO notice below has the reason',
    };
  return undefined;
}

function describeTurn({ turn, limit, now }: StageFacts): Stage | undefined {
  if (turn === undefined) return undefined;
  const work = TURN_KIND_NAMES[turn.kind].toLowerCase();
  if (!turn.isBegun && limit !== undefined)
    return {
      title: `next: ${work}`,
      waitsFor: `the usage limit of ${quoteName(limit.adapter)}, which resets at ${formatSince(limit.until, now)}`,
    };
  if (turn.retryAt !== null)
    return { title: `next: ${work}`, waitsFor: `the retry at ${formatSince(turn.retryAt, now)}` };
  switch (turn.state) {
    case 'running':
      return { title: `the agent is working (${work})`, isPassing: true };
    case 'frozen':
      return { title: `pushing the result (${work})`, isPassing: true };
    case 'speaking':
      return { title: `posting to GitHub (${work})`, isPassing: true };
    default:
      return turn.isBegun
        ? { title: `the agent is working (${work})`, isPassing: true }
        : { title: `next: ${work}`, waitsFor: 'a free worker', isPassing: true };
  }
}

function describeRest({ run, pull, pending }: StageFacts): Stage {
  if (pull !== undefined && pending > 0)
    return { title: `next: reply to ${countOf(pending, 'comment')}`, isPassing: true };
  if (pull?.humanReviewRequired)
    return { title: 'waiting for a human review', waitsFor: `a person's review of ${linkTo(pull)}` };
  if (pull !== undefined)
    return {
      title: 'ready for review',
      waitsFor: `comments on ${linkTo(pull)}, or for somebody to merge it`,
    };
  if (run.scheduleReason !== null) return { title: 'scheduled', waitsFor: line(run.scheduleReason) };
  return { title: 'picked up' };
}

export const linkTo = ({ number, url }: Pick<StagePull, 'number' | 'url'>): string => `[#${number}](${url})`;

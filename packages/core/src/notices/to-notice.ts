import { describeWait } from '../outbox/render-posts.js';
import { findCapEnd } from '../runs/check-limits.js';
import type { RuntimeEventType } from '../timeline/runtime-event.js';
import { WAIT_KINDS } from '../turns/plan.js';
import { BudgetReached, type Notice, type NoticeKind } from './notice.js';

/** A recorded event, with the facts that its notification shows. */
export type NoticeEvent = {
  id: number;
  type: string;
  payload: unknown;
  createdAt: number;
  /** `owner/name`. */
  repo: string | null;
  issueNumber: number | null;
  prNumber: number | null;
  title: string | null;
  /** True if an AI review of the pull request comes before the review by people. */
  isReviewedByAi: boolean;
};

type Told = { kind: NoticeKind; text: string } | undefined;

/** The notification of each event. Every other event needs none. */
const TOLD = {
  run_waiting: ({ payload }) => tellWait(textOf(payload, 'kind')),
  run_blocked: ({ payload }) => tellBlock(textOf(payload, 'kind')),
  pull_blocked: ({ payload }) => tellBlock(textOf(payload, 'kind')),
  run_parked: ({ payload }) => tellParked(textOf(payload, 'limit')),
  pull_opened: ({ isReviewedByAi }) =>
    isReviewedByAi ? undefined : { kind: 'review', text: 'The pull request is ready for your review.' },
  work_approved: () => ({
    kind: 'review',
    text: 'The AI review approved the pull request. It is ready for your review.',
  }),
  max_fix_cycles_exceeded: () => ESCALATED,
  review_escalated: () => ESCALATED,
  budget_reached: ({ payload }) => tellBudget(payload),
  token_rejected: ({ payload }) => ({
    kind: 'token',
    text:
      textOf(payload, 'code') === 'no-login'
        ? 'MergeXO has stopped working: it has no GitHub credentials.'
        : 'MergeXO has stopped working: GitHub rejects its token.',
  }),
} as const satisfies Partial<Record<RuntimeEventType, (event: NoticeEvent) => Told>>;

const ESCALATED = {
  kind: 'review',
  text: 'The AI review and the agent do not agree. A person must review the pull request.',
} as const;

/** The types of events that can need a notification. */
export const NOTICE_EVENTS: readonly string[] = Object.keys(TOLD);
const TELLERS: ReadonlyMap<string, (event: NoticeEvent) => Told> = new Map(Object.entries(TOLD));

/** Returns the notification for an event; undefined if the event needs none. */
export function toNotice(event: NoticeEvent, webUrl: string): Notice | undefined {
  const told = TELLERS.get(event.type)?.(event);
  if (told === undefined) return undefined;
  const { repo, title, prNumber, issueNumber, createdAt: at } = event;
  const number = prNumber ?? issueNumber;
  const page = prNumber === null ? 'issues' : 'pull';
  const url = repo === null || number === null ? null : `${webUrl}/${repo}/${page}/${number}`;
  return { id: `event-${event.id}`, ...told, repo, number, title, url, at };
}

/** Waits that need no answer, because MergeXO resumes the work itself. */
const SILENT_WAITS: ReadonlySet<string> = new Set(['new_issue_comments_pending', 'rebuilt', 'legacy']);

function tellWait(kind: string): Told {
  if (SILENT_WAITS.has(kind)) return undefined;
  const known = WAIT_KINDS.find((name) => name === kind);
  const reason = known === undefined ? 'The work stopped' : describeWait(known);
  return { kind: 'question', text: `${reason}. Reply on the issue to resume the work.` };
}

function tellBlock(kind: string): Told {
  return { kind: 'blocked', text: `Blocked (${toWords(kind)}). An operator must unblock the work.` };
}

/** Notifies about limits that only an operator lifts. Token and cost limits have notifications of their own. */
function tellParked(limit: string): Told {
  if (findCapEnd(limit) !== 'operator' || /^max_(tokens|cost_usd)_/.test(limit)) return undefined;
  return { kind: 'blocked', text: `Paused: limits.${limit} was reached. An operator must unblock the work.` };
}

function tellBudget(payload: unknown): Told {
  const { data } = BudgetReached.safeParse(payload);
  if (data === undefined) return undefined;
  const { limit, percent, used, cap } = data;
  const end = percent === 100 ? ' MergeXO starts no more work that counts toward it.' : '';
  const amounts = `${formatUse(limit, used)} of ${formatUse(limit, cap)}`;
  return { kind: 'budget', text: `${percent} % of limits.${limit} is used: ${amounts}.${end}` };
}

function formatUse(limit: string, value: number): string {
  return limit.startsWith('max_cost_usd') ? `$${value.toFixed(2)}` : value.toLocaleString('en-US');
}

const toWords = (code: string): string => code.replaceAll('_', ' ');

function textOf(payload: unknown, key: string): string {
  if (typeof payload !== 'object' || payload === null) return '';
  const value = Object.entries(payload).find(([name]) => name === key)?.[1];
  return typeof value === 'string' ? value.slice(0, 80) : '';
}

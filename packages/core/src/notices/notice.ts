import { z } from 'zod';

/** What a notification can be about, with the meaning for the docs. */
export const NOTICE_KINDS = {
  question: 'work waits for a reply on the issue',
  blocked: 'work waits for an operator',
  review: 'a pull request is ready for review by people',
  budget: '80 or 100 % of a token or cost limit is used',
  token: 'GitHub rejects the token, or there is none',
  poller: 'the poller has stopped or does not respond',
} as const;
export type NoticeKind = keyof typeof NOTICE_KINDS;

export const NOTIFY_CHANNELS = ['webhook', 'command', 'desktop'] as const;
export type NotifyChannel = (typeof NOTIFY_CHANNELS)[number];

/** One notification: short texts and a link. Contains no agent output, and no text by people except the title. */
export type Notice = {
  /** The same for every channel and every retry, so that receivers can detect a repeated message. */
  id: string;
  kind: NoticeKind;
  /** `owner/name`; null if the notification is about MergeXO itself. */
  repo: string | null;
  number: number | null;
  title: string | null;
  text: string;
  url: string | null;
  /** UTC milliseconds. */
  at: number;
};

/** The payload of the event `budget_reached`. */
export const BudgetReached = z.object({
  limit: z.string(),
  percent: z.union([z.literal(80), z.literal(100)]),
  used: z.number(),
  cap: z.number(),
});
export type BudgetReached = z.infer<typeof BudgetReached>;

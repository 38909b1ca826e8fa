import { failpoint, type Log, remainingWaitMs } from '@mergexo/core/basics';
import type { Notice, NotifyChannel } from '@mergexo/core/notices';
import type { Channel } from '@mergexo/notify';
import type { NotifyCursor, State } from '@mergexo/state';
import type { Collected } from './collect-notices.js';

/** Above this number, waiting notifications become one digest. */
const MAX_SINGLE = 3;
/** Messages per channel and minute. Later notifications wait for the next minute, and arrive as a digest. */
const MESSAGES_PER_MINUTE = 6;
const MINUTE_MS = 60_000;
/** Waits after a failed send. After the last one, MergeXO gives the message up. Together they last about two hours. */
const BACKOFF_MS = [5_000, 15_000, 60_000, 300_000, 900_000, 1_800_000, 3_600_000];
export const MAX_SENDS = BACKOFF_MS.length + 1;

export type DeliveryTools = {
  state: State;
  log: Log;
  now: () => number;
  monotonicNow: () => number;
  collect: (after: number) => Collected;
  /** Reports whether the channel works, for `status` and the dashboard. */
  report: (channel: NotifyChannel, trouble: string | undefined) => void;
  signal: AbortSignal;
};

/** What the process remembers of a channel. */
export type ChannelMemory = { lookedUpTo: number; sentAt: number[] };

type Message = { notices: readonly Notice[]; upTo: number };

/**
 * Sends the waiting notifications of one channel. Each send is counted in SQLite before it starts, and recorded after
 * it: a crash in between sends the message once more, and never more often than `MAX_SENDS` times.
 */
export async function deliverNotices(
  tools: DeliveryTools,
  channel: Channel,
  memory: ChannelMemory,
): Promise<void> {
  const { state, now, signal } = tools;
  const cursor = state.openNotifyChannel(channel.name);
  const wait = { since: cursor.waitSince, until: cursor.waitUntil };
  if (remainingWaitMs(wait, now()) > 0) return;
  const { notices, upTo } = tools.collect(Math.max(cursor.eventId, memory.lookedUpTo));
  if (notices.length === 0) {
    // Kept in memory only, because the position would otherwise be written every few seconds.
    memory.lookedUpTo = upTo;
    return;
  }
  for (const message of toMessages(notices, upTo)) {
    if (signal.aborted || isHurried(tools, memory)) return;
    if (!(await deliver(tools, channel, { message, memory }))) return;
  }
}

function toMessages(notices: Collected['notices'], upTo: number): Message[] {
  if (notices.length > MAX_SINGLE) return [{ notices: notices.map(({ notice }) => notice), upTo }];
  return notices.map(({ eventId, notice }) => ({ notices: [notice], upTo: eventId }));
}

function isHurried({ monotonicNow }: DeliveryTools, memory: ChannelMemory): boolean {
  memory.sentAt = memory.sentAt.filter((at) => monotonicNow() - at < MINUTE_MS);
  return memory.sentAt.length >= MESSAGES_PER_MINUTE;
}

/** Returns true once the message was sent or given up. */
async function deliver(
  tools: DeliveryTools,
  channel: Channel,
  { message, memory }: { message: Message; memory: ChannelMemory },
): Promise<boolean> {
  const { state, monotonicNow, report } = tools;
  const cursor = state.openNotifyChannel(channel.name);
  if (cursor.attempts >= MAX_SENDS) return giveUp(tools, cursor, message);
  const begun = { ...cursor, attempts: cursor.attempts + 1 };
  state.saveNotifyChannel(begun);
  failpoint('poller:notify-marked');
  const sent = await channel.send(message.notices, tools.signal);
  // After an abort, the database may be closed. The next start sends the message again.
  if (sent.kind === 'aborted') return false;
  failpoint('poller:notify-sent');
  if (sent.kind === 'sent') {
    memory.sentAt.push(monotonicNow());
    complete(tools, begun, message);
    report(channel.name, undefined);
    return true;
  }
  return retryLater(tools, begun, { message, reason: sent.reason });
}

function retryLater(
  tools: DeliveryTools,
  cursor: NotifyCursor,
  { message, reason }: { message: Message; reason: string },
): boolean {
  const { state, log, now, report } = tools;
  const { channel, attempts } = cursor;
  report(channel, reason);
  const delayMs = BACKOFF_MS[attempts - 1];
  if (delayMs === undefined) return giveUp(tools, cursor, message);
  log.warn(
    { channel, attempt: attempts, reason, delay_ms: delayMs },
    'a notification was not sent; MergeXO retries',
  );
  state.saveNotifyChannel({ ...cursor, waitSince: now(), waitUntil: now() + delayMs });
  return false;
}

function giveUp(tools: DeliveryTools, cursor: NotifyCursor, message: Message): boolean {
  const { channel } = cursor;
  tools.log.error(
    { channel, notifications: message.notices.map(({ id }) => id) },
    'MergeXO gave a notification up after several failed sends',
  );
  complete(tools, cursor, message);
  return true;
}

function complete({ state }: DeliveryTools, { channel }: NotifyCursor, { upTo }: Message): void {
  state.saveNotifyChannel({ channel, eventId: upTo, attempts: 0, waitSince: 0, waitUntil: 0 });
}

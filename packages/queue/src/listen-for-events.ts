import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@mergexo/core/basics';
import type { QueueEvents } from 'bullmq';
import { RUN_RETRY_MS } from './connect.js';

type Listening = {
  readLastEventId: () => Promise<string>;
  /** Called after each restart, because MergeXO skipped events. */
  onSkipped: () => void;
  closing: AbortSignal;
  log: Log;
};

/**
 * Reads BullMQ's events until `closing`. BullMQ stops at an entry that it cannot parse, and anybody who can write to
 * Redis can add one.
 */
export async function listenForEvents(events: QueueEvents, listening: Listening): Promise<void> {
  const { readLastEventId, onSkipped, closing, log } = listening;
  while (!closing.aborted) {
    try {
      await events.run();
    } catch (error) {
      if (closing.aborted) return;
      log.warn({ err: error }, 'could not read an event in Redis; MergeXO skips it');
    }
    await sleep(RUN_RETRY_MS, undefined, { signal: closing }).catch(() => {});
    const lastEventId = await readLastEventId().catch(() => undefined);
    if (lastEventId !== undefined) Object.assign(events.opts, { lastEventId });
    onSkipped();
  }
}

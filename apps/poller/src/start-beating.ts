import { Failure, type Log } from '@mergexo/core/basics';
import { isDiskTrouble } from '@mergexo/state';
import type { Health } from './connect/health.js';
import { repeat } from './repeat.js';
import type { WebhookState } from './webhook/start-webhook.js';

const BEAT_PAUSE_MS = 1_000;

type BeatTools = {
  health: Health;
  log: Log;
  isRedisUp: () => boolean;
  /** Returns undefined unless the poller accepts webhooks. */
  webhook: () => WebhookState | undefined;
};

/** Saves the health record every second. A database that is busy for a moment does not stop the poller. */
export function startBeating(
  { health, log, isRedisUp, webhook }: BeatTools,
  { cleanups, onError }: { cleanups: (() => unknown)[]; onError: (error: unknown) => void },
): void {
  const beat = async (): Promise<void> => {
    health.report('redis', isRedisUp() ? undefined : 'unreachable');
    const state = webhook();
    if (state !== undefined) health.report('webhook', state());
    try {
      health.beat();
    } catch (error) {
      if (!(error instanceof Failure) || isDiskTrouble(error)) throw error;
      log.warn({ err: error }, 'could not save the health record; MergeXO retries in a second');
    }
  };
  const beating = repeat(beat, { pauseMs: BEAT_PAUSE_MS, onError });
  cleanups.push(async () => {
    await beating.stop();
    health.stop();
  });
}

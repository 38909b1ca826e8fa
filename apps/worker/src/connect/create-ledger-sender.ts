import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, type Log, MERGEXO_CLI } from '@mergexo/core/basics';
import type { LedgerAnswer, LedgerMessage } from '@mergexo/core/ledger';
import type { LedgerClient } from '@mergexo/queue';

/**
 * The timeout is short, because an answer may never arrive, for example after Redis was flushed. Sending again is
 * cheap.
 */
const ANSWER_TIMEOUT_MS = 2_000;
const MAX_PAUSE_MS = 2_000;

export type LedgerSender = {
  /** Repeats the message until the poller answers. Rejects only if `signal` aborts or the message is invalid. */
  sendUntilAnswered(message: LedgerMessage, signal?: AbortSignal): Promise<LedgerAnswer>;
  /**
   * Sends the message once. Returns undefined if the poller does not answer. Use this for periodic messages such as
   * heartbeats.
   */
  sendOnce(message: LedgerMessage): Promise<LedgerAnswer | undefined>;
};

export function createLedgerSender(tools: { client: Pick<LedgerClient, 'ask'>; log: Log }): LedgerSender {
  const { client, log } = tools;
  let isRejected = false;
  const sendOnce = async (message: LedgerMessage): Promise<LedgerAnswer | undefined> => {
    try {
      const answer = await client.ask(message, ANSWER_TIMEOUT_MS);
      isRejected = false;
      return answer;
    } catch (error) {
      // Rethrows a bug or an encoding error, because a retry would fail again.
      if (!(error instanceof Failure) || error.kind === 'invalid-data') throw error;
      log.debug({ message_kind: message.kind, err: error }, 'the poller did not answer');
      if (error.kind === 'unauthorized' && !isRejected)
        log.error(
          { message_kind: message.kind, err: error },
          `no valid answer from the poller; if this worker's key is wrong, run \`${MERGEXO_CLI} worker-key <name>\` on ` +
            "the poller's host and set MERGEXO_WORKER_KEY here to its output",
        );
      isRejected = error.kind === 'unauthorized';
      return undefined;
    }
  };

  return {
    sendOnce,
    async sendUntilAnswered(message, signal) {
      let warned = false;
      for (let tries = 0; ; tries += 1) {
        signal?.throwIfAborted();
        const answer = await sendOnce(message);
        if (answer !== undefined) return answer;
        if (!warned && tries >= 2) {
          log.warn({ message_kind: message.kind }, 'waiting for the poller to answer; no work is lost');
          warned = true;
        }
        await sleep(Math.min(100 * 2 ** tries, MAX_PAUSE_MS), undefined, signal && { signal });
      }
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, type Log } from '@mergexo/core/basics';
import type { LedgerAnswer, LedgerMessage } from '@mergexo/core/ledger';
import type { LedgerClient } from '@mergexo/queue';

/** Short: after a flush of Redis the answer never comes, and asking again costs nothing. */
const ANSWER_TIMEOUT_MS = 2_000;
const MAX_PAUSE_MS = 2_000;

export type LedgerLine = {
  /** Asks until it is answered, through outages of Redis and of the poller; rejects only when `signal` aborts. */
  tell(message: LedgerMessage, signal?: AbortSignal): Promise<LedgerAnswer>;
  /** Asks once; undefined when nobody answered. For messages whose next repetition says the same. */
  mention(message: LedgerMessage): Promise<LedgerAnswer | undefined>;
};

export function createLedgerLine(tools: { client: Pick<LedgerClient, 'ask'>; log: Log }): LedgerLine {
  const { client, log } = tools;
  const askOnce = async (message: LedgerMessage): Promise<LedgerAnswer | undefined> => {
    try {
      return await client.ask(message, ANSWER_TIMEOUT_MS);
    } catch (error) {
      // What cannot be said at all is not said better by repeating it.
      if (!(error instanceof Failure) || error.kind === 'invalid-data') throw error;
      log.debug({ message_kind: message.kind, err: error }, 'the ledger did not answer');
      return undefined;
    }
  };

  return {
    mention: askOnce,
    async tell(message, signal) {
      let warned = false;
      for (let tries = 0; ; tries += 1) {
        signal?.throwIfAborted();
        const answer = await askOnce(message);
        if (answer !== undefined) return answer;
        if (!warned && tries >= 2) {
          log.warn({ message_kind: message.kind }, 'waiting for the poller; the work is kept');
          warned = true;
        }
        await sleep(Math.min(100 * 2 ** tries, MAX_PAUSE_MS), undefined, signal && { signal });
      }
    },
  };
}

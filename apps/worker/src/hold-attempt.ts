import { HEARTBEAT_MS } from '@mergexo/core/basics';
import type { BegunTurn } from '@mergexo/core/ledger';
import type { LedgerLine } from './ledger-line.js';

export type Attempt = {
  /** Aborts when the poller says that this attempt is over; its reason is a text for the log. */
  signal: AbortSignal;
  /** Names what is going on, for whoever watches. */
  enter(step: string): void;
  end(): void;
};

/** As long as a message may name it. */
const MAX_STEP = 80;

/** Says regularly that the attempt is alive, and hears from the answer when it must stop. */
export function holdAttempt(line: Pick<LedgerLine, 'mention'>, begun: BegunTurn): Attempt {
  const { turnKey, attempt } = begun;
  const controller = new AbortController();
  let step = 'begun';
  let sequence = 0;
  let asking = false;
  const beat = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    // The same message until it is answered, so that a poller that is away does not find a heap of them.
    const answer = await line.mention({ kind: 'progress', turnKey, attempt, sequence, step });
    asking = false;
    if (answer !== undefined) sequence += 1;
    if (answer?.kind === 'refused' || answer?.kind === 'stop') controller.abort(answer.reason);
  };
  const timer = setInterval(() => void beat(), HEARTBEAT_MS);
  return {
    signal: controller.signal,
    enter: (next) => {
      step = next.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, MAX_STEP);
    },
    end: () => clearInterval(timer),
  };
}

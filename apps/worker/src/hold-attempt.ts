import { HEARTBEAT_MS } from '@mergexo/core/basics';
import type { BegunTurn, HeldDraft, LedgerAnswer } from '@mergexo/core/ledger';

export type Attempt = {
  /** Aborts when the poller ends this attempt. The abort reason is text for the log. */
  signal: AbortSignal;
  /** Sets the step that `status` and the dashboard show. */
  enter(step: string): void;
  /** Remembers a host that the network policy refused, for the message that ends the attempt. */
  refuseHost(host: string): void;
  /** Returns the refused hosts; undefined if there are none. */
  refusedHosts(): string[] | undefined;
  end(): void;
};

/** Maximum number of refused hosts in a message. */
const MAX_REFUSED = 20;
/** Maximum length of `step` in a progress message. */
const MAX_STEP = 80;

/** Sends progress messages while the attempt runs, and aborts the attempt when the poller refuses or stops it. */
export function holdAttempt(
  begun: BegunTurn,
  sendOnce: (draft: HeldDraft) => Promise<LedgerAnswer | undefined>,
): Attempt {
  const { turnKey, attempt } = begun;
  const controller = new AbortController();
  let step = 'begun';
  let sequence = 0;
  let asking = false;
  const refused = new Set<string>();
  const beat = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    // Reuses one sequence number until the poller answers, so that messages do not pile up while the poller is down.
    const answer = await sendOnce({ kind: 'progress', turnKey, attempt, sequence, step });
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
    refuseHost: (host) => {
      if (refused.size < MAX_REFUSED) refused.add(host);
    },
    refusedHosts: () => (refused.size === 0 ? undefined : [...refused]),
    end: () => clearInterval(timer),
  };
}

import { type AgentStep, MAX_STEPS } from '@mergexo/core/agent';
import { type BegunTurn, type HeldDraft, type LedgerAnswer, MAX_BATCH } from '@mergexo/core/ledger';
import { countOf } from '@mergexo/core/text';

export type StepSender = {
  show(step: AgentStep): void;
  /** Sends the remaining steps once, in the background. Later steps are dropped. */
  end(): void;
};

/** Delay before a message, so that steps printed together are sent together. */
const GATHER_MS = 100;
/** Minimum time between two messages. */
const SPACING_MS = 500;
const MAX_BYTES = 16_000;
/** Steps that wait to be sent. If an agent reports faster, the oldest of them are dropped. */
const MAX_WAITING = 200;

/**
 * Sends an attempt's steps to the poller soon after they happen, in order, one message at a time. Losing steps is
 * harmless, so a failure never affects the turn.
 */
export function sendSteps(
  { turnKey, attempt }: Pick<BegunTurn, 'turnKey' | 'attempt'>,
  sendOnce: (draft: HeldDraft) => Promise<LedgerAnswer | undefined>,
  { maxSteps = MAX_STEPS, spacingMs = SPACING_MS } = {},
): StepSender {
  const waiting = createWaiting();
  let batch: { first: number; steps: AgentStep[] } | undefined;
  let next = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending = false;
  let ended = false;
  let refused = false;

  const schedule = (delayMs: number): void => {
    if (sending || refused || (batch === undefined && waiting.isEmpty())) return;
    timer ??= setTimeout(() => void send(), delayMs);
  };
  const send = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    sending = true;
    batch ??= { first: next, steps: waiting.take(maxSteps - next) };
    const answer = await sendOnce({ kind: 'steps', turnKey, attempt, ...batch }).catch(() => GIVEN_UP);
    sending = false;
    if (answer !== undefined) {
      next = batch.first + batch.steps.length;
      batch = undefined;
    }
    // Without an answer, the same batch is sent again under the same id, unless the attempt has ended.
    refused = (answer !== undefined && answer.kind !== 'ok') || (answer === undefined && ended);
    if (next >= maxSteps) refused = true;
    schedule(ended ? 0 : spacingMs);
  };
  return {
    show: (step) => {
      if (ended || refused) return;
      waiting.add(step);
      schedule(GATHER_MS);
    },
    end: () => {
      ended = true;
      if (sending || timer === undefined) return;
      void send();
    },
  };
}

/** Replaces the answer after a bug, because the same message would fail again. */
const GIVEN_UP: LedgerAnswer = { kind: 'refused', reason: 'the message cannot be sent' };

/** A bounded queue that counts what it drops. */
function createWaiting() {
  const steps: AgentStep[] = [];
  let dropped = 0;
  return {
    isEmpty: () => steps.length === 0,
    add(step: AgentStep): void {
      steps.push(step);
      if (steps.length <= MAX_WAITING) return;
      steps.shift();
      dropped += 1;
    },
    /** Returns the oldest steps that fit into a message. `room` is the number of steps left for the attempt. */
    take(room: number): AgentStep[] {
      const taken: AgentStep[] = dropped === 0 ? [] : [skip(`${countOf(dropped, 'step')} reported too fast`)];
      dropped = 0;
      let bytes = 0;
      while (steps[0] !== undefined && taken.length < MAX_BATCH && bytes < MAX_BYTES) {
        bytes += Buffer.byteLength(JSON.stringify(steps[0]));
        if (bytes > MAX_BYTES && taken.length > 0) break;
        taken.push(...steps.splice(0, 1));
      }
      if (taken.length < room) return taken;
      return [...taken.slice(0, room - 1), skip(`later steps: MergeXO keeps ${MAX_STEPS} of an attempt`)];
    },
  };
}

function skip(text: string): AgentStep {
  return { kind: 'skip', text };
}

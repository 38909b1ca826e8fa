import type { Config } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import type { State } from '@mergexo/state';
import { attempt } from './attempt.js';
import { type Repeating, repeat } from './repeat.js';

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
/** Rows per round. A round takes a few milliseconds, so that polling never waits for it. */
const BATCH = 200;
const NEXT_BATCH_MS = 1_000;

type Tools = { state: State; log: Log; config: () => Config; now: () => number };

/** Deletes old rows every hour, in small batches. */
export function startTrimming(tools: Tools, onError: (error: unknown) => void): Repeating {
  let isComplete = true;
  const round = async (): Promise<void> => {
    const done = await attempt(tools.log, { step: 'delete old records' }, () => {
      isComplete = trimOnce(tools);
    });
    isComplete ||= !done;
  };
  return repeat(round, { pauseMs: () => (isComplete ? HOUR_MS : NEXT_BATCH_MS), onError });
}

/** Deletes one batch. Returns true if nothing old is left. */
export function trimOnce({ state, config, now }: Omit<Tools, 'log'>): boolean {
  const { retentionDays } = config().runtime;
  if (retentionDays === 0) return true;
  const before = now() - retentionDays * DAY_MS;
  const events = state.forgetOldEvents(before, BATCH);
  const plans = state.forgetOldPlans(before, BATCH);
  return events < BATCH && plans < BATCH;
}

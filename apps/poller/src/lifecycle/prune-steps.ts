import type { Log } from '@mergexo/core/basics';
import type { State } from '@mergexo/state';
import { attempt } from '../attempt.js';

type PruneTools = { state: Pick<State, 'pruneAgentSteps' | 'transaction'>; now: () => number; log: Log };
type Retention = { agentStepsDays: number; agentStepsMaxMb: number };

const DAY_MS = 24 * 3_600_000;
const MEBIBYTE = 1024 * 1024;
/** Steps to delete at once: a few milliseconds, during which the poller does nothing else. */
const BATCH = 1_000;

/** Creates the function that deletes the oldest agent steps, a few per call. */
export function createPruneSteps(
  { state, now, log }: PruneTools,
  { agentStepsDays, agentStepsMaxMb }: Retention,
): () => Promise<void> {
  const maxBytes = agentStepsMaxMb * MEBIBYTE;
  return async () => {
    const before = now() - agentStepsDays * DAY_MS;
    await attempt(log, { step: 'delete old agent steps' }, () =>
      state.transaction(() => state.pruneAgentSteps({ before, maxBytes }, BATCH)),
    );
  };
}

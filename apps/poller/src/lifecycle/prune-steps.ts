import { Failure, type Log } from '@mergexo/core/basics';
import { isDiskTrouble, type State } from '@mergexo/state';

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
    try {
      state.transaction(() => state.pruneAgentSteps({ before, maxBytes }, BATCH));
    } catch (error) {
      if (!(error instanceof Failure) || isDiskTrouble(error)) throw error;
      log.warn({ err: error }, 'could not delete old agent steps; MergeXO tries again later');
    }
  };
}

import type { Pull, Run } from '@mergexo/state';
import type { Records } from '../tools.js';

/** The columns that only a named transition of the lifecycle changes. */
type Guarded = 'id' | 'status' | 'blockedKind' | 'error';

/** Records facts about a run that change nothing of its status. Inside a transaction. */
export function updateRun({ state, now }: Records, run: Run, facts: Partial<Omit<Run, Guarded>>): void {
  state.saveRun({ ...run, ...facts }, now());
}

/** Records facts about a pull request that change nothing of its status. Inside a transaction. */
export function updatePull(
  { state, now }: Pick<Records, 'state' | 'now'>,
  pull: Pull,
  facts: Partial<Omit<Pull, Guarded | 'humanReviewRequired'>>,
): void {
  state.savePull({ ...pull, ...facts }, now());
}

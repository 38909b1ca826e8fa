import type { Pull, Run } from '@mergexo/state';
import type { Records } from '../tools.js';

/** Columns that `updateRun` and `updatePull` must not change. Other functions in this folder change them. */
type Guarded = 'id' | 'status' | 'blockedKind' | 'endedKind' | 'error';

/** Updates a run without changing its status. Requires a transaction. */
export function updateRun({ state, now }: Records, run: Run, facts: Partial<Omit<Run, Guarded>>): void {
  state.saveRun({ ...run, ...facts }, now());
}

/** Updates a pull request without changing its status. Requires a transaction. */
export function updatePull(
  { state, now }: Pick<Records, 'state' | 'now'>,
  pull: Pull,
  facts: Partial<Omit<Pull, Guarded | 'humanReviewRequired'>>,
): void {
  state.savePull({ ...pull, ...facts }, now());
}

import type { Pull, Run, State } from '@mergexo/state';

/** Returns the pull request of a turn or a run; undefined if none is open yet. */
export function readPullOf(
  state: State,
  { repoId, prNumber }: { repoId: number; prNumber: number | null },
): Pull | undefined {
  return prNumber === null ? undefined : state.readPull(repoId, prNumber);
}

/** Returns the run of a turn; undefined for a turn without a run. */
export function readRunOf(state: State, { runId }: { runId: number | null }): Run | undefined {
  return runId === null ? undefined : state.readRun(runId);
}

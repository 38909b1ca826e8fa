/** `actions`: a workflow run. `check` and `status`: reports by other systems about a commit. */
export const CHECK_SOURCES = ['actions', 'check', 'status'] as const;
export type CheckSource = (typeof CHECK_SOURCES)[number];

/** One check of a commit and its progress. */
export type CheckRun = {
  source: CheckSource;
  id: number;
  name: string;
  headSha: string;
  isDone: boolean;
  conclusion: string | null;
  /** Increases with each rerun. */
  attempt: number;
  url: string;
  updatedAt: string;
};

export type CiPolicy = 'never' | 'first_fail' | 'all_complete';

const FAILED = ['failure', 'error', 'timed_out', 'startup_failure'];

/** True for a failed check. A cancelled, skipped or pending check is not evidence against the change. */
export function hasFailed({ isDone, conclusion }: Pick<CheckRun, 'isDone' | 'conclusion'>): boolean {
  return isDone && conclusion !== null && FAILED.includes(conclusion);
}

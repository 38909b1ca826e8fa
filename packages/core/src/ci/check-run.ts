/** `actions`: a workflow run; `check` and `status`: what other systems report about a commit. */
export const CHECK_SOURCES = ['actions', 'check', 'status'] as const;
export type CheckSource = (typeof CHECK_SOURCES)[number];

/** One thing that was checked about a commit, as far as it has come. */
export type CheckRun = {
  source: CheckSource;
  id: number;
  name: string;
  headSha: string;
  isDone: boolean;
  conclusion: string | null;
  /** Grows when a run is repeated. */
  attempt: number;
  url: string;
  updatedAt: string;
};

export type CiPolicy = 'never' | 'first_fail' | 'all_complete';

const FAILED = ['failure', 'error', 'timed_out', 'startup_failure'];

/** What was cancelled, skipped or waits for a person says nothing about the change. */
export function hasFailed({ isDone, conclusion }: Pick<CheckRun, 'isDone' | 'conclusion'>): boolean {
  return isDone && conclusion !== null && FAILED.includes(conclusion);
}

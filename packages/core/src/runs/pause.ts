/** An operator's pause. MergeXO starts no turn in its scope. */
export type Pause = {
  /** `ALL` for every repository. */
  repoId: number;
  /** `ALL` for the whole repository. */
  issueNumber: number;
  since: number;
  /** Who paused, such as `cli` or a login. */
  by: string;
  reason: string | null;
};

/** Neither a repository nor an issue has the number 0. */
export const ALL = 0;

/** Returns the pause that holds back an issue. The widest scope comes first, because it must be resumed first. */
export function findPause(
  pauses: readonly Pause[],
  { repoId, issueNumber }: { repoId: number; issueNumber: number | null },
): Pause | undefined {
  const applies = (pause: Pause): boolean =>
    (pause.repoId === ALL || pause.repoId === repoId) &&
    (pause.issueNumber === ALL || pause.issueNumber === issueNumber);
  return [...pauses].sort((a, b) => a.repoId - b.repoId || a.issueNumber - b.issueNumber).find(applies);
}

/** Describes a pause as the thing that work waits for. */
export function describePause({ repoId, issueNumber, by, reason }: Pause): string {
  const scope = repoId === ALL ? 'all work' : issueNumber === ALL ? 'the repository' : 'the issue';
  return `an operator to resume ${scope} (paused by ${by}${reason === null ? '' : `: ${reason}`})`;
}

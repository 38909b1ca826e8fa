type Traits = {
  /** True if the label on the issue may start another run. */
  mayBeginAgain: boolean;
  /** True if work that depends on the run may start. */
  countsAsDone: boolean;
  /** True if MergeXO reports the end of the run on the issue. Applies only if the run had a turn. */
  isTold: boolean;
};

const OVER: Traits = { mayBeginAgain: false, countsAsDone: false, isTold: false };

export const RUN_END_TRAITS = {
  takeover: { ...OVER, mayBeginAgain: true },
  issue_closed: { ...OVER, mayBeginAgain: true, isTold: true },
  issue_gone: OVER,
  author_removed: { ...OVER, mayBeginAgain: true },
  implemented_by_hand: { ...OVER, countsAsDone: true },
  retired: OVER,
} as const satisfies Record<string, Traits>;
/** Why MergeXO closed a run that has no pull request. */
export type RunEnd = keyof typeof RUN_END_TRAITS;

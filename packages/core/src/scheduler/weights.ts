/** Weights for choosing implementations, which are the keys of `[scheduler]`. */
export type SchedulerWeights = {
  priorityWeight: number;
  conflictWeight: number;
  /** Subtracted from the score per day of waiting. A negative value raises the score, so that no work waits forever. */
  stalenessPenalty: number;
  /** Above this risk, a candidate waits for overlapping work until its patience ends. */
  conflictThreshold: number;
  /** How long a candidate waits for overlapping work. */
  patienceDays: number;
  /** Weights of the three parts of the risk: same paths, same module, size. */
  pathRisk: number;
  moduleRisk: number;
  sizeRisk: number;
};

/** The risk weights are from the first design. The other values were tuned in a simulation of one month. */
export const DEFAULT_WEIGHTS: SchedulerWeights = {
  priorityWeight: 1,
  conflictWeight: 4,
  stalenessPenalty: -0.2,
  conflictThreshold: 0.25,
  patienceDays: 4,
  pathRisk: 0.7,
  moduleRisk: 0.2,
  sizeRisk: 0.1,
};

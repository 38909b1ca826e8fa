/** What the choice of implementations depends on; the keys of `[scheduler]`. */
export type SchedulerWeights = {
  priorityWeight: number;
  conflictWeight: number;
  /** What a day of waiting costs. Negative: waiting work gains, so that nothing waits for ever. */
  stalenessPenalty: number;
  /** Above this risk a candidate waits for the other work, while its patience lasts. */
  conflictThreshold: number;
  /** How long a candidate lets overlapping work go first. */
  patienceDays: number;
  /** The parts of the risk: the same paths, the same module, the size. */
  pathRisk: number;
  moduleRisk: number;
  sizeRisk: number;
};

/** The parts of the risk are those of the first design; the rest was tuned in the simulation of a month. */
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

export { type BlockedBy, type Blocker, type Blockers, findBlockedBy, isSameRepo } from './blockers.js';
export type { BlockedStart, SettledWork } from './check-dependencies.js';
export {
  type ActiveWork,
  type Candidate,
  chooseImplementations,
  type Held,
  type ImplementationChoice,
  type ImplementationQuestion,
  type Ranked,
} from './choose-implementations.js';
export { explainBlocked, renderHeldReason } from './held-reason.js';
export { DEFAULT_WEIGHTS, type SchedulerWeights } from './weights.js';

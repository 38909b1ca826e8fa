export type { SettledWork } from './check-dependencies.js';
export {
  type ActiveWork,
  type Candidate,
  chooseImplementations,
  type Held,
  type ImplementationChoice,
  type Ranked,
} from './choose-implementations.js';
export { renderHeldReason } from './held-reason.js';
export { DEFAULT_WEIGHTS, type SchedulerWeights } from './weights.js';

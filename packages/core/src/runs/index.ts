export type { Account } from './account.js';
export {
  CAP_END_NAMES,
  type Cap,
  findCap,
  findCapEnd,
  OPERATOR_CAPS,
  type RunLimits,
} from './check-limits.js';
export { buildCommitAuthor, CommitAuthor } from './commit-author.js';
export {
  decideIntake,
  findDistrust,
  type IssueFacts,
  type SkipCause,
} from './decide-intake.js';
export {
  decidePromotion,
  explainUnfitIssue,
  type PromotionFacts,
  readLabelPriority,
} from './decide-promotion.js';
export { renderDesignDocument } from './design-document.js';
export { findDrift, replaceDrift } from './drift.js';
export type { HoldKind } from './hold-kind.js';
export { isAdoptable } from './legacy-failures.js';
export { ALL, describePause, findPause, type Pause } from './pause.js';
export { isLiveRun, parseRunName, RUN_STATUS_NAMES, RUN_STATUSES, renderRunName } from './run.js';
export { RUN_END_TRAITS, type RunEnd } from './run-end.js';

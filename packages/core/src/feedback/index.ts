export { type Admission, decideAdmission } from './decide-admission.js';
export {
  decideRemark,
  OURS,
  type Ownership,
  type RemarkDecision,
  type RemarkFacts,
} from './decide-remark.js';
export { isReadyToAnswer } from './is-ready-to-answer.js';
export { isUnlistedReviewer } from './is-unlisted-reviewer.js';
export { judgeLineage, type Lineage } from './judge-lineage.js';
export {
  buildEventKey,
  EVENT_KINDS,
  type EventKind,
  type Remark,
  type ReviewState,
  readRemarkTime,
  threadRootOf,
} from './remark.js';

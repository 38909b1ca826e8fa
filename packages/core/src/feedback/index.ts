export { type Admission, decideAdmission } from './decide-admission.js';
export { decideLineage, type Lineage } from './decide-lineage.js';
export {
  decideRemark,
  type Ownership,
  type RemarkDecision,
  type RemarkFacts,
} from './decide-remark.js';
export {
  addTextDigest,
  buildEventKey,
  isAnsweredBy,
  nameAttempt,
  nameConflict,
  parseAnsweredKeys,
  readGitHubTime,
  readRemarkTime,
  renderAnsweredKeys,
} from './event-key.js';
export { isReadyToAnswer } from './is-ready-to-answer.js';
export { isUnlistedReviewer } from './is-unlisted-reviewer.js';
export { listMentions } from './list-mentions.js';
export {
  EVENT_KINDS,
  type EventKind,
  type Remark,
  type ReviewState,
  threadRootOf,
} from './remark.js';

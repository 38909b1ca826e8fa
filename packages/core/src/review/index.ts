export { buildFixMetadata } from './build-fix-metadata.js';
export { chooseDocuments } from './choose-documents.js';
export { computeVerdict, type ReviewVerdict } from './compute-verdict.js';
export {
  countFixesLeft,
  decideReview,
  type ReviewDecision,
  type ReviewProgress,
  type ReviewRound,
} from './decide-review.js';
export { decideRound, type MatchedRound, matchRound } from './decide-round.js';
export type { Checks, RaisedFinding } from './findings/choose-findings.js';
export {
  FINDING_STATUSES,
  type Finding,
  type FindingStatus,
  isBlocking,
  listUnresolved,
  type ReportedFinding,
  readReported,
} from './findings/finding.js';
export type { Placement } from './findings/place-findings.js';
export { readEditedFinding } from './findings/read-edited-finding.js';
export { readHunks, readPatch } from './findings/read-hunks.js';
export { type CheckNote, renderCheckNotes } from './render-check.js';
export { renderEscalation } from './render-escalation.js';
export { renderFindingReply, renderFixSummary } from './render-fix-words.js';
export { hasVerdict, type ReviewPost, removeResult, renderReviewPost } from './render-review-post.js';
export { buildReviewEvent, type ReviewEventPayload } from './review-event.js';

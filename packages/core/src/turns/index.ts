export { boundUsage, Usage } from '../cost/usage.js';
export { chooseTurns } from './choose-turns.js';
export type { TroubleKind } from './decide-retry.js';
export { buildFeedbackContext, MAX_EVENTS } from './feedback/build-feedback-context.js';
export { carryLine } from './feedback/carry-line.js';
export { coverEvents, explainGaps } from './feedback/cover-events.js';
export { explainEmptyReplies } from './feedback/explain-empty-replies.js';
export { FeedbackContext, type FeedbackEventContext } from './feedback/feedback-context.js';
export type { FeedbackOutput } from './feedback/feedback-output.js';
export { FEEDBACK_PROMPTS } from './feedback/feedback-prompts.js';
export type { MergeNote } from './feedback/merge.js';
export { type CurrentCode, listSuggestions } from './feedback/render-event.js';
export { checkFixAnswer } from './fix/check-fix-answer.js';
export { ReviewFixContext } from './fix/review-fix-context.js';
export { ReviewFixResult } from './fix/review-fix-result.js';
export { buildJobId, type JobIdentity, parseJobId } from './job-id.js';
export { openTurn } from './open-turn.js';
export { type Begun, orderTurns } from './order-turns.js';
export {
  asksForHead,
  type BlockKind,
  MAX_BUNDLE_BYTES,
  needsPush,
  Plan,
  PlanParcel,
  PlanResult,
  Sha,
  type WaitKind,
} from './plan.js';
export { checkCoverage } from './review/check-coverage.js';
export { buildDiscussion, type Discussion, type DiscussionEntry } from './review/discussion.js';
export { type EarlierReviewFinding, ReviewContext } from './review/review-context.js';
export {
  REVIEW_CATEGORIES,
  REVIEW_LIMITS,
  type ReviewFixOutput,
  type ReviewOutput,
  type ReviewVerifyOutput,
  SEVERITIES,
} from './review/review-output.js';
export { type ReviewInput, renderReview, renderReviewFix } from './review/review-prompts.js';
export {
  buildReviewResult,
  MAX_EVIDENCE,
  MAX_FINDING_PATH,
  MAX_FINDING_TEXT,
  ReviewResult,
  readPlacement,
} from './review/review-result.js';
export { renderReviewVerify, type Suspect } from './review/verify-prompt.js';
export {
  type AnsweredThread,
  buildHandoff,
  type DesignThreads,
  type Handoff,
  keepNewestThreads,
} from './start/handoff.js';
export {
  Checkpoint,
  type Followup,
  type LinkedThread,
  type Links,
  StartContext,
  toRole,
} from './start/start-context.js';
export type {
  ChangeStartOutput,
  DesignStartOutput,
  ImplementationStartOutput,
} from './start/start-output.js';
export { renderImplementationStart, START_PROMPTS } from './start/start-prompts.js';
export {
  attemptOf,
  backoffLeftMs,
  CARRIED_STATES,
  isCarried,
  isLive,
  LIVE_STATES,
  TURN_STATE_NAMES,
  TURN_STATES,
  type Turn,
} from './turn.js';
export { computeTurnKey } from './turn-key.js';
export {
  familyOf,
  isOfFamily,
  type KindOf,
  mayEndWith,
  type PullFamily,
  QUESTION_KINDS,
  type QuestionKind,
  TURN_KIND_NAMES,
  TURN_KINDS,
  type TurnFamily,
  type TurnKind,
  traitsOf,
  turnKindOf,
} from './turn-kind.js';

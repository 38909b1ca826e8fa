export {
  ACTION_STATES,
  type Action,
  type ActionState,
  buildFindingTarget,
  buildGeneralTarget,
  buildReplyTarget,
  buildRerunTarget,
  computeActionId,
  findingTargetOf,
  isSettled,
  linkTargetOf,
  noticeTargetOf,
  planActions,
  planNotice,
  planRedirect,
  planTurnAction,
  replyTargetOf,
  rerunTargetOf,
} from './actions/action.js';
export {
  ACTION_KINDS,
  ACTION_TRAITS,
  type ActionKind,
  isListed,
  isRenderedComment,
  type ListedKind,
  listKindsIn,
  type NoticeKind,
  type RenderedComment,
  type ShownIn,
  type UnlistedKind,
} from './actions/action-kind.js';
export { describeAction } from './actions/describe-action.js';
export { ADAPTER_NAMES, type AdapterName, toAdapterName } from './agent/adapter-name.js';
export {
  type AgentOutput,
  type AgentOutputs,
  buildOutputSchema,
  type OutputSchema,
} from './agent/agent-output.js';
export { AGENT_PROTOCOL, AgentAnswer, AgentRequest } from './agent/agent-request.js';
export { buildRepairRequest, type Complaint } from './agent/build-repair-request.js';
export { type ParsedOutput, parseAgentOutput } from './agent/parse-agent-output.js';
export { ALLOWED_ACTIONS, TurnPackage } from './agent/turn-package.js';
export { createStop } from './basics/create-stop.js';
export { explainError, USAGE_EXIT_CODE, UsageError } from './basics/explain-error.js';
export { armFailpoint, FAILPOINTS, type Failpoint, failpoint } from './basics/failpoint.js';
export { FAILURE_KINDS, Failure, type FailureKind } from './basics/failure.js';
export type { Json } from './basics/json.js';
export { type Log, silentLog } from './basics/log.js';
export type { LogCode } from './basics/log-code.js';
export { MERGEXO_CLI } from './basics/mergexo-cli.js';
export {
  HEARING_MS,
  HEARTBEAT_MS,
  JOB_LOCK_MS,
  WORKER_HEARTBEAT_MS,
  WORKER_LEASE_MS,
} from './basics/silence.js';
export { isWithin, waitLeftMs } from './basics/wait.js';
export { type CheckRun, type CheckSource, type CiPolicy, hasFailed } from './ci/check-run.js';
export { chooseFailures } from './ci/choose-failures.js';
export { type CheckStatus, describeChecks } from './ci/describe-checks.js';
export { type FailedJob, renderFailure } from './ci/render-failure.js';
export {
  COMMAND_KINDS,
  COMMAND_TRAITS,
  type Command,
  type CommandKind,
  type CommandOn,
  isGivenOn,
  needsOperator,
} from './commands/command-kind.js';
export { parseCommand, parseStartCommand } from './commands/parse-command.js';
export { renderCommandHelp } from './commands/render-command-help.js';
export { type Admission, type AdmissionFacts, decideAdmission } from './feedback/decide-admission.js';
export {
  decideRemark,
  OURS,
  type Ownership,
  type RemarkDecision,
  type RemarkFacts,
} from './feedback/decide-remark.js';
export { isReadyToAnswer } from './feedback/is-ready.js';
export { isUnlistedReviewer } from './feedback/is-unlisted-reviewer.js';
export { type Comparison, judgeLineage, type Lineage } from './feedback/judge-lineage.js';
export {
  buildEventKey,
  EVENT_KINDS,
  type EventKind,
  REVIEW_STATES,
  type Remark,
  type ReviewState,
  readRemarkTime,
  threadRootOf,
} from './feedback/remark.js';
export {
  FLOW_TRAITS,
  FLOWS,
  type Flow,
  type FlowLabelKey,
  type LabelKey,
  type Labels,
  listStartWords,
  type StartWord,
} from './flows/flow.js';
export { chooseFlow, type FlowLabel, labelOf, listFlowLabels } from './flows/flow-labels.js';
export { buildBranchName, buildDesignDocPath, type RunName, renderIssueReference } from './flows/run-name.js';
export type { Dependency, Frontmatter } from './frontmatter/frontmatter.js';
export { markImplemented } from './frontmatter/mark-implemented.js';
export { type ParsedFrontmatter, parseFrontmatter } from './frontmatter/parse-frontmatter.js';
export { type AcceptanceCriterion, readAcceptanceCriteria } from './frontmatter/read-acceptance-criteria.js';
export {
  describeHealth,
  formatSince,
  type Health,
  type HealthProblem,
} from './health/describe-health.js';
export {
  HEALTH_CODES,
  type HealthCode,
  type HealthReport,
  type HealthSubject,
  POLLER_BEAT_MS,
} from './health/health.js';
export {
  type BeginMessage,
  type BegunTurn,
  buildRequestId,
  type FailMessage,
  type FinishMessage,
  type FreezeMessage,
  type HeartbeatMessage,
  LedgerAnswer,
  LedgerMessage,
  type ProgressMessage,
  type ReleaseMessage,
  type ResetMessage,
} from './ledger/message.js';
export { type JobState, queueTurn, requeueTurn } from './ledger/requeue-turn.js';
export { type AgentLimit, isWaitingToRetry, retryNow } from './ledger/retry-now.js';
export { isSignedReset, signReset } from './ledger/sign-reset.js';
export type { Facts, Step, Verdict } from './ledger/step.js';
export { stepTurn, type TurnMessage } from './ledger/step-turn.js';
export {
  looksSigned,
  type Meta,
  type Place,
  type Proof,
  placeOfRemark,
  readToken,
  type SigningKeys,
  signBody,
  verifyBody,
} from './marker.js';
export {
  decideAfterFind,
  decideOpenConflict,
  decidePostStep,
  decideRefusal,
  type FindFacts,
  type PostFacts,
  type PostStep,
  type RefusalFacts,
} from './outbox/decide-post.js';
export { chooseAdditions, type RepoFile } from './prompts/additions.js';
export {
  chooseSummary,
  decideSession,
  SESSION_MODES,
  type SessionChoice,
  type SessionFacts,
  type SessionMode,
} from './prompts/decide-session.js';
export { renderTestsComplaint } from './prompts/repair-prompts.js';
export type { Frame } from './prompts/system-base.js';
export {
  describeWait,
  parseDesignLine,
  renderBlockNotice,
  renderCloseNotice,
  renderConflictNotice,
  renderParkNotice,
  renderPullBody,
  renderPullRemedy,
  renderRedirect,
  renderReviewerNotice,
  renderStatusComment,
  renderThreadLink,
  renderWaitComment,
  START_REMEDY,
  shortenReason,
} from './render-words.js';
export {
  buildFixMetadata,
  type ReviewComments,
  ReviewFixMetadata,
} from './review/build-fix-metadata.js';
export { chooseDocuments } from './review/choose-documents.js';
export { computeVerdict, type ReviewVerdict } from './review/compute-verdict.js';
export { containLine, containText } from './review/contain-text.js';
export {
  countFixesLeft,
  decideReview,
  ESCALATION_KINDS,
  type EscalationKind,
  type ReviewDecision,
  type ReviewFix,
  type ReviewProgress,
  type ReviewRound,
} from './review/decide-review.js';
export type { ChosenFindings, DroppedFinding, RaisedFinding } from './review/findings/choose-findings.js';
export {
  type EarlierFinding,
  FINDING_STATUSES,
  type Finding,
  type FindingStatus,
  isBlocking,
  type ReviewPolicy,
  type Severity,
} from './review/findings/finding.js';
export type { InlineFinding, Placement } from './review/findings/place-findings.js';
export { readEditedFinding } from './review/findings/read-edited-finding.js';
export { type DiffLines, type PatchLines, readHunks, readPatch } from './review/findings/read-hunks.js';
export { type Judgement, judgeRound, type ReviewedRound } from './review/judge-round.js';
export { type Escalation, renderEscalation } from './review/render-escalation.js';
export { renderFindingReply, renderFixSummary } from './review/render-fix-words.js';
export {
  hasVerdict,
  type ReviewPost,
  type ReviewWords,
  renderReviewPost,
} from './review/render-review-post.js';
export {
  buildReviewEvent,
  REVIEW_EVENTS,
  type ReviewEventPayload,
  type ReviewEventType,
} from './review/review-event.js';
export { type Cap, findCap, type RunLimits, type Used } from './runs/check-limits.js';
export { buildCommitAuthor, CommitAuthor, type Poster } from './runs/commit-author.js';
export {
  type Account,
  decideIntake,
  type EarlierRun,
  explainDistrust,
  type Intake,
  type IntakeRules,
  type IssueFacts,
} from './runs/decide-intake.js';
export {
  decidePromotion,
  explainUnfitIssue,
  type Promotion,
  type PromotionFacts,
  readLabelPriority,
} from './runs/decide-promotion.js';
export { type DesignDocument, renderDesignDocument } from './runs/design-document.js';
export { findDrift, replaceDrift } from './runs/drift.js';
export { BLOCKED_BEFORE_PULL, isAdoptable } from './runs/legacy-failures.js';
export { isLiveRun, parseRunName, RUN_STATUSES, type RunStatus, renderRunName } from './runs/run.js';
export {
  buildTurnEvent,
  RUNTIME_EVENT_TYPES,
  type RuntimeEvent,
  type RuntimeEventType,
} from './runtime-event.js';
export { sanitisePackage } from './sanitise/sanitise-package.js';
export { sanitiseLine, sanitiseOutput, sanitiseText } from './sanitise/sanitise-text.js';
export type { SettledWork } from './scheduler/check-dependencies.js';
export {
  type ActiveWork,
  type Candidate,
  chooseImplementations,
  type Held,
  type ImplementationChoice,
  type ImplementationQuestion,
  type Ranked,
} from './scheduler/choose-implementations.js';
export { compileTouchPath, coversPath } from './scheduler/glob.js';
export { type HeldReason, renderHeldReason } from './scheduler/held-reason.js';
export { DEFAULT_WEIGHTS, type SchedulerWeights } from './scheduler/weights.js';
export { countOf } from './text/count-of.js';
export { hasLabel } from './text/has-label.js';
export {
  MAX_BODY,
  neutraliseLine,
  neutraliseMarkdown,
  neutraliseText,
  neutraliseTitle,
} from './text/neutralise.js';
export { quoteName } from './text/quote-name.js';
export { createRedact, type Redact } from './text/redact.js';
export { buildSlug } from './text/slug.js';
export { describeEvent, type EventDetail } from './timeline/describe-event.js';
export { formatTime, toPlainText, toReadable } from './timeline/to-readable.js';
export { chooseTurns } from './turns/choose-turns.js';
export { decideRetry, type Retry, type TroubleKind } from './turns/decide-retry.js';
export {
  buildFeedbackContext,
  type FeedbackMaterial,
  MAX_EVENTS,
} from './turns/feedback/build-feedback-context.js';
export { type Answers, type Coverage, coverEvents, explainGaps } from './turns/feedback/cover-events.js';
export { FeedbackContext, type FeedbackEventContext, SIGNALS } from './turns/feedback/feedback-context.js';
export type { FeedbackOutput } from './turns/feedback/feedback-output.js';
export { FEEDBACK_PROMPTS, type FeedbackInput } from './turns/feedback/feedback-prompts.js';
export type { MergeNote } from './turns/feedback/merge.js';
export { checkFixAnswer } from './turns/fix/check-fix-answer.js';
export { ReviewFixContext } from './turns/fix/review-fix-context.js';
export { ReviewFixResult } from './turns/fix/review-fix-result.js';
export { buildJobId, type JobIdentity, parseJobId } from './turns/job-id.js';
export { openTurn } from './turns/open-turn.js';
export { type Begun, orderTurns } from './turns/order-turns.js';
export {
  type AgentSession,
  asksForHead,
  BLOCK_KINDS,
  type BlockKind,
  computePlanDigest,
  MAX_BUNDLE_BYTES,
  needsPush,
  Plan,
  PlanParcel,
  PlanResult,
  Sha,
  Usage,
  WAIT_KINDS,
  type WaitKind,
} from './turns/plan.js';
export { type EarlierReviewFinding, ReviewContext } from './turns/review/review-context.js';
export {
  REVIEW_CATEGORIES,
  type ReviewFixOutput,
  type ReviewOutput,
  SEVERITIES,
} from './turns/review/review-output.js';
export {
  type ReviewFixInput,
  type ReviewInput,
  renderReview,
  renderReviewFix,
} from './turns/review/review-prompts.js';
export {
  buildReviewResult,
  MAX_FINDING_PATH,
  MAX_FINDING_TEXT,
  ReviewResult,
  readPlacement,
} from './turns/review/review-result.js';
export { type AnsweredThread, buildHandoff, type Handoff, type HandoffFacts } from './turns/start/handoff.js';
export { Checkpoint, type Followup, StartContext } from './turns/start/start-context.js';
export type {
  ChangeStartOutput,
  DesignStartOutput,
  ImplementationStartOutput,
} from './turns/start/start-output.js';
export {
  type ImplementationInput,
  renderImplementationStart,
  START_PROMPTS,
} from './turns/start/start-prompts.js';
export {
  attemptOf,
  backoffLeftMs,
  CARRIED_STATES,
  isCarried,
  isLive,
  LIVE_STATES,
  TURN_STATES,
  type Turn,
  type TurnState,
} from './turns/turn.js';
export { computeTurnKey, type TurnIdentity } from './turns/turn-key.js';
export {
  familyOf,
  isOfFamily,
  type KindOf,
  mayEndWith,
  type PullFamily,
  TURN_KINDS,
  type TurnFamily,
  type TurnKind,
  traitsOf,
} from './turns/turn-kind.js';

export { Sqlite } from './better-sqlite3.js';
export { copyDatabase } from './copies/copy-database.js';
export { replaceDatabase } from './copies/replace-database.js';
export { createState, openState, type State } from './create-state.js';
export { holdLock, type Lock, type LockHolder } from './hold-lock.js';
export { checkDatabase, type Database, openDatabase, openDatabaseReadOnly } from './open-database.js';
export { openStateInMemory } from './open-in-memory.js';
export { type CommentStatus, readCommentStatus } from './read-comment-status.js';
export { type FailedReview, readFailedReview } from './read-failed-review.js';
export type { StatusComment, StoredReaction } from './signs/signs.js';
export type { FeedbackEvent } from './tables/feedback-events.js';
export type { FeedName, StoredFeed } from './tables/feeds.js';
export type { NotifyCursor } from './tables/fleet/notify.js';
export type { StoredWorkerToken } from './tables/fleet/worker-tokens.js';
export type { FollowupState } from './tables/followups.js';
export type { StepFilter, StoredStep } from './tables/live/agent-steps.js';
export type { IssueBlockers } from './tables/observed/issue-blockers.js';
export type { Pull } from './tables/pulls.js';
export type { StoredRateLimit } from './tables/rate-limits.js';
export type { Repository } from './tables/repositories.js';
export type { Retired } from './tables/retire-repository.js';
export type { StoredFinding } from './tables/review-findings.js';
export type { RecordedProgress, RoundEnd, StoredFix, StoredRound } from './tables/reviews.js';
export type { NewRun, Run } from './tables/runs.js';
export type { Session } from './tables/sessions.js';
export type { AgentUse, Spending } from './tables/spend.js';
export type { Task, TaskKind } from './tables/tasks.js';
export type { WorkerLease } from './tables/worker-leases.js';
export { isDiskTrouble, isSqliteError, toFailure as toStateFailure } from './to-failure.js';
export { type AliveWorker, listAliveWorkers } from './views/list-alive-workers.js';
export { type BlockedWork, listBlocked } from './views/list-blocked.js';
export { COST_GROUPS, type Cost, type CostGroup, listCosts } from './views/list-costs.js';
export { listJournalRows } from './views/list-journal.js';
export { listReceipts, type Receipt } from './views/list-receipts.js';
export {
  countWork,
  listPeople,
  listWork,
  WORK_ORDERS,
  type Work,
  type WorkFilter,
  type WorkOrder,
  type WorkPage,
} from './views/list-work.js';
export { readHealth } from './views/read-health.js';
export { readSnapshot, type Snapshot } from './views/read-snapshot.js';
export { readTurnUse } from './views/read-turn-use.js';
export { ATTENTION_STAGES, ENDED_STAGES, WORK_STAGES, type WorkStage } from './views/work-stage.js';

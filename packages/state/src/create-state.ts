import { createRedact, type Redact } from '@mergexo/core/text';
import { type Database, openDatabase } from './open-database.js';
import { createRowCache } from './row-cache.js';
import { createSigns, type Signs } from './signs/signs.js';
import { type Accounts, createAccounts } from './tables/accounts.js';
import { type Actions, createActions } from './tables/actions.js';
import { type AgentLimits, createAgentLimits } from './tables/agent-limits.js';
import { createFeedbackEvents, type FeedbackEvents } from './tables/feedback-events.js';
import { createFeeds, type Feeds } from './tables/feeds.js';
import { createGitHubWrites, type GitHubWrites } from './tables/fleet/github-writes.js';
import { createNotify, type Notify } from './tables/fleet/notify.js';
import { createRetention, type Retention } from './tables/fleet/retention.js';
import { createWorkerTokenRows, type WorkerTokenRows } from './tables/fleet/worker-tokens.js';
import { createFollowups, type Followups } from './tables/followups.js';
import { createHealthReports, type HealthReports } from './tables/health.js';
import { type AgentSteps, createAgentSteps } from './tables/live/agent-steps.js';
import { createLostSecrets, type LostSecrets } from './tables/lost-secrets.js';
import { type Blocking, createBlocking } from './tables/observed/issue-blockers.js';
import { createWatches, type PullWatch, type Watches } from './tables/observed/watches.js';
import { createOperator, type Operator } from './tables/operator.js';
import { createPulls, type Pull, type Pulls } from './tables/pulls.js';
import { createRateLimits, type RateLimits } from './tables/rate-limits.js';
import { createRepositories, type Repositories } from './tables/repositories.js';
import { createRetirement, type Retirement } from './tables/retire-repository.js';
import { createReviewFindings, type ReviewFindings } from './tables/review-findings.js';
import { createReviews, type Reviews } from './tables/reviews.js';
import { createRuns, type Runs } from './tables/runs.js';
import { createRuntimeEvents, type RuntimeEvents } from './tables/runtime-events.js';
import { createSessions, type Sessions } from './tables/sessions.js';
import { createSpend, type Spend } from './tables/spend.js';
import { createTasks, type Tasks } from './tables/tasks.js';
import { createTurns, type Turns } from './tables/turns.js';
import { createWorkerLeases, type WorkerLeases } from './tables/worker-leases.js';
import { toFailure } from './to-failure.js';
import { createOpenWork, type OpenWork } from './views/open-work.js';

export type State = Turns &
  Actions &
  Runs &
  Pulls &
  Sessions &
  Feeds &
  Accounts &
  Tasks &
  LostSecrets &
  Watches &
  Blocking &
  RateLimits &
  GitHubWrites &
  Signs &
  Spend &
  FeedbackEvents &
  Followups &
  Reviews &
  ReviewFindings &
  RuntimeEvents &
  WorkerLeases &
  WorkerTokenRows &
  AgentLimits &
  AgentSteps &
  HealthReports &
  Operator &
  Notify &
  Retention &
  Retirement &
  OpenWork &
  Repositories & {
    /** Runs `work` in one transaction. `work` must be synchronous, so that no other call joins the transaction. */
    transaction<T>(work: () => T): T;
    /** Redacts a text as the tables do, for names that are derived from stored text. */
    redact: Redact;
    close(): void;
  };

/** Opens the state. Anything that looks like a credential, or that `redact` knows, is redacted before it is stored. */
export function openState(path: string, redact: Redact = createRedact([])): State {
  return createState(openDatabase(path), redact);
}

export function createState({ path, sqlite, db, close }: Database, redact: Redact = createRedact([])): State {
  const pullCache = createRowCache<readonly Pull[]>(sqlite);
  const watchCache = createRowCache<ReadonlyMap<number, PullWatch>>(sqlite);
  const forgetRows = (): void => {
    pullCache.forget();
    watchCache.forget();
  };
  return {
    ...createTurns(db, redact),
    ...createActions(db, redact),
    ...createRuns(db, redact),
    ...createPulls(db, pullCache),
    ...createSessions(db, redact),
    ...createFeeds(db),
    ...createAccounts(db),
    ...createTasks(db),
    ...createLostSecrets(db),
    ...createWatches(db, watchCache),
    ...createBlocking(db),
    ...createRateLimits(db),
    ...createGitHubWrites(db),
    ...createSigns(db),
    ...createSpend(db, redact),
    ...createFeedbackEvents(db),
    ...createFollowups(db),
    ...createReviews(db, redact),
    ...createReviewFindings(db, redact),
    ...createRuntimeEvents(db, redact),
    ...createWorkerLeases(db),
    ...createWorkerTokenRows(db),
    ...createAgentLimits(db, redact),
    ...createAgentSteps(db, redact),
    ...createHealthReports(db, redact),
    ...createOperator(db, redact),
    ...createNotify(db),
    ...createRetention(db),
    ...createRetirement(db, forgetRows),
    ...createOpenWork(db),
    ...createRepositories(db),
    redact,
    transaction(work) {
      try {
        // The transaction takes the write lock at once, because a transaction that starts with a read could
        // fail to get the lock later.
        return sqlite.transaction(work).immediate();
      } catch (error) {
        throw toFailure(error, path);
      }
    },
    close,
  };
}

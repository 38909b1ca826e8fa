import { isLiveRun, RUN_STATUSES } from '@mergexo/core/runs';
import { LIVE_STATES } from '@mergexo/core/turns';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import {
  actions,
  feedbackEvents,
  feeds,
  health,
  issueBlockers,
  issueRuns,
  issueWatch,
  lostSecrets,
  pullRequests,
  pullWatch,
  reactions,
  repoWatch,
  statusComments,
  tasks,
  turns,
} from '../schema/index.js';

export type Retired = { runs: number; pulls: number[]; turns: number; comments: number };
export type Retirement = ReturnType<typeof createRetirement>;

/** Retires a repository whose earlier comments MergeXO can no longer verify as its own. */
export function createRetirement(db: Drizzle, onRetired: () => void) {
  const live = RUN_STATUSES.filter((status) => isLiveRun({ status }));
  const runsOf = (repoId: number) => and(eq(issueRuns.repoId, repoId), inArray(issueRuns.status, live));
  const turnsOf = (repoId: number) => and(eq(turns.repoId, repoId), inArray(turns.state, [...LIVE_STATES]));
  const pendingOf = (repoId: number) =>
    and(eq(feedbackEvents.repoId, repoId), isNull(feedbackEvents.processedAt));

  const previewRetirement = (repoId: number): Retired => ({
    runs: db.select({ id: issueRuns.id }).from(issueRuns).where(runsOf(repoId)).all().length,
    pulls: db
      .select({ prNumber: pullRequests.prNumber })
      .from(pullRequests)
      .where(
        and(eq(pullRequests.repoId, repoId), inArray(pullRequests.status, ['awaiting_feedback', 'blocked'])),
      )
      .all()
      .map(({ prNumber }) => prNumber),
    turns: db.select({ turnKey: turns.turnKey }).from(turns).where(turnsOf(repoId)).all().length,
    comments: db.select({ key: feedbackEvents.eventKey }).from(feedbackEvents).where(pendingOf(repoId)).all()
      .length,
  });

  return {
    previewRetirement,

    /**
     * Ends all open work, deletes the records of pull requests and starts the feeds at `since`, so that nothing older
     * is read, answered or sent again. Run inside a transaction.
     */
    retireRepository(repoId: number, since: string, now: number): Retired {
      const retired = previewRetirement(repoId);
      db.update(turns)
        .set({ state: 'cancelled', reason: 'an operator retired the repository', endedAt: now })
        .where(turnsOf(repoId))
        .run();
      db.update(actions)
        .set({ state: 'tombstone', error: { code: 'retired' }, updatedAt: now })
        .where(and(eq(actions.repoId, repoId), inArray(actions.state, ['planned', 'sending'])))
        .run();
      db.update(issueRuns)
        .set({ status: 'closed', endedKind: 'retired', blockedKind: null, error: null, updatedAt: now })
        .where(runsOf(repoId))
        .run();
      db.update(feedbackEvents)
        .set({ processedAt: now, skipReason: { code: 'retired' } })
        .where(pendingOf(repoId))
        .run();
      // MergeXO does not watch a pull request without a row, even if somebody reopens the pull request.
      db.delete(pullRequests).where(eq(pullRequests.repoId, repoId)).run();
      const forgotten = [
        tasks,
        lostSecrets,
        repoWatch,
        pullWatch,
        issueWatch,
        issueBlockers,
        feeds,
        reactions,
        statusComments,
      ];
      for (const table of forgotten) db.delete(table).where(eq(table.repoId, repoId)).run();
      for (const name of ['issues', 'issue_comments', 'review_comments'] as const)
        db.insert(feeds).values({ repoId, name, cursor: since, etag: null, updatedAt: now }).run();
      db.delete(health)
        .where(eq(health.subject, `repo/${repoId}`))
        .run();
      onRetired();
      return retired;
    },
  };
}

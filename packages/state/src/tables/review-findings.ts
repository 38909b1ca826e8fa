import type { FindingStatus, RaisedFinding } from '@mergexo/core/review';
import type { Redact } from '@mergexo/core/text';
import type { EarlierReviewFinding } from '@mergexo/core/turns';
import { and, asc, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { reviewFindings, reviewRounds } from '../schema/index.js';

export type StoredFinding = typeof reviewFindings.$inferSelect;
export type ReviewFindings = ReturnType<typeof createReviewFindings>;
export type PullKey = { repoId: number; prNumber: number };

/** What the AI reviewer found on a pull request, each once, whatever round raised it. */
export function createReviewFindings(db: Drizzle, redact: Redact) {
  return {
    /** In the order in which they were first raised. */
    listReviewFindings(repoId: number, prNumber: number): StoredFinding[] {
      return listFindings(db, { repoId, prNumber });
    },

    /** As a new round is told about them. */
    listEarlierFindings(repoId: number, prNumber: number): EarlierReviewFinding[] {
      const { id, fingerprint, path, line, severity, category, body, status, note } = reviewFindings;
      const lastRound = reviewRounds.number;
      return db
        .select({ id, fingerprint, path, line, severity, category, body, status, note, lastRound })
        .from(reviewFindings)
        .innerJoin(reviewRounds, eq(reviewRounds.id, reviewFindings.lastRoundId))
        .where(findingsOf({ repoId, prNumber }))
        .orderBy(asc(id))
        .all();
    },

    /** By the comment on GitHub that carries it. */
    readFindingByRemoteId(repoId: number, remoteId: number): StoredFinding | undefined {
      return db
        .select()
        .from(reviewFindings)
        .where(and(eq(reviewFindings.repoId, repoId), eq(reviewFindings.remoteId, remoteId)))
        .get();
    },

    saveFindingRemoteId(id: number, remoteId: number, now: number): void {
      db.update(reviewFindings).set({ remoteId, updatedAt: now }).where(eq(reviewFindings.id, id)).run();
    },

    /** What the agent that fixes says about it. It has no say in what a person dismissed. */
    answerFinding(
      finding: PullKey & { id: number; status: Exclude<FindingStatus, 'dismissed'>; note: string },
      now: number,
    ): void {
      const { id, status, note } = finding;
      db.update(reviewFindings)
        .set({ status, note: redact(note), updatedAt: now })
        .where(and(findingsOf(finding), eq(reviewFindings.id, id), ne(reviewFindings.status, 'dismissed')))
        .run();
    },

    /** A person says that it is none; it stays so. */
    markFindingDismissed(id: number, now: number): void {
      db.update(reviewFindings)
        .set({ status: 'dismissed', updatedAt: now })
        .where(eq(reviewFindings.id, id))
        .run();
    },
  };
}

export function listFindings(db: Drizzle, pull: PullKey): StoredFinding[] {
  return db.select().from(reviewFindings).where(findingsOf(pull)).orderBy(asc(reviewFindings.id)).all();
}

/** New, or open again. */
export function raiseFinding(
  db: Drizzle,
  { id: lastRoundId, repoId, prNumber }: PullKey & { id: number },
  finding: RaisedFinding,
  now: number,
): void {
  const { fingerprint, path, line, severity, category, body, suggestion } = finding;
  const said = { path, line, severity, category, body, suggestion, lastRoundId, updatedAt: now };
  db.insert(reviewFindings)
    .values({ ...said, repoId, prNumber, fingerprint, roundId: lastRoundId, status: 'open' })
    .onConflictDoUpdate({
      target: [reviewFindings.repoId, reviewFindings.prNumber, reviewFindings.fingerprint],
      // A person may have dismissed it while the reviewer was looking.
      set: {
        ...said,
        status: sql`case ${reviewFindings.status} when 'dismissed' then 'dismissed' else 'open' end`,
        // Its old thread is done with; whoever resolved that did not mean what comes back.
        remoteId: sql`case ${reviewFindings.status} when 'fixed' then null else ${reviewFindings.remoteId} end`,
      },
    })
    .run();
}

/** They were open, and the reviewer does not find them any more. */
export function markFindingsFixed(db: Drizzle, pull: PullKey, ids: readonly number[], now: number): void {
  const isOpen = and(inArray(reviewFindings.id, [...ids]), eq(reviewFindings.status, 'open'));
  db.update(reviewFindings)
    .set({ status: 'fixed', updatedAt: now })
    .where(and(findingsOf(pull), isOpen))
    .run();
}

function findingsOf({ repoId, prNumber }: PullKey) {
  return and(eq(reviewFindings.repoId, repoId), eq(reviewFindings.prNumber, prNumber));
}

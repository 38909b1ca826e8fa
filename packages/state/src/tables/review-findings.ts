import type { FindingStatus, RaisedFinding } from '@mergexo/core/review';
import type { Redact } from '@mergexo/core/text';
import type { EarlierReviewFinding } from '@mergexo/core/turns';
import { and, asc, eq, inArray, ne, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { reviewFindings, reviewRounds } from '../schema/index.js';

export type StoredFinding = typeof reviewFindings.$inferSelect;
export type ReviewFindings = ReturnType<typeof createReviewFindings>;
export type PullKey = { repoId: number; prNumber: number };

/** Stores the findings of the AI reviewer, one row per finding across all rounds. */
export function createReviewFindings(db: Drizzle, redact: Redact) {
  return {
    /** Lists the findings in the order of their first round. */
    listReviewFindings(repoId: number, prNumber: number): StoredFinding[] {
      return listFindings(db, { repoId, prNumber });
    },

    /** Lists the earlier findings as input for a new round. */
    listEarlierFindings(repoId: number, prNumber: number): EarlierReviewFinding[] {
      const { id, fingerprint, path, startLine, line, severity, category } = reviewFindings;
      const { body, suggestion, status, note } = reviewFindings;
      const place = { path, startLine, line };
      const said = { severity, category, body, suggestion };
      return db
        .select({ id, fingerprint, ...place, ...said, status, note, lastRound: reviewRounds.number })
        .from(reviewFindings)
        .innerJoin(reviewRounds, eq(reviewRounds.id, reviewFindings.lastRoundId))
        .where(findingsOf({ repoId, prNumber }))
        .orderBy(asc(id))
        .all();
    },

    /** Reads the finding that was posted as this GitHub comment. */
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

    /** Records the fixing agent's answer. A finding that a person dismissed stays dismissed. */
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

    /** Dismisses the finding permanently: no later round reopens it. */
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

/** Records a new finding, or reopens an earlier one. */
export function raiseFinding(
  db: Drizzle,
  { id: lastRoundId, repoId, prNumber }: PullKey & { id: number },
  { finding, now }: { finding: RaisedFinding; now: number },
): void {
  const { fingerprint, path, startLine, line, severity, category, body, suggestion } = finding;
  const said = { path, startLine, line, severity, category, body, suggestion, lastRoundId, updatedAt: now };
  db.insert(reviewFindings)
    .values({ ...said, repoId, prNumber, fingerprint, roundId: lastRoundId, status: 'open' })
    .onConflictDoUpdate({
      target: [reviewFindings.repoId, reviewFindings.prNumber, reviewFindings.fingerprint],
      // A finding that a person dismissed during the review stays dismissed.
      set: {
        ...said,
        status: sql`case ${reviewFindings.status} when 'dismissed' then 'dismissed' else 'open' end`,
        // A reopened finding gets a new thread, because a person may have resolved the old one.
        remoteId: sql`case ${reviewFindings.status} when 'fixed' then null else ${reviewFindings.remoteId} end`,
      },
    })
    .run();
}

/** Marks findings as fixed if the reviewer says so. A finding that a person dismissed stays dismissed. */
export function markFindingsFixed(
  db: Drizzle,
  pull: PullKey,
  { ids, now }: { ids: readonly number[]; now: number },
): void {
  const isNamed = and(inArray(reviewFindings.id, [...ids]), ne(reviewFindings.status, 'dismissed'));
  db.update(reviewFindings)
    .set({ status: 'fixed', updatedAt: now })
    .where(and(findingsOf(pull), isNamed))
    .run();
}

function findingsOf({ repoId, prNumber }: PullKey) {
  return and(eq(reviewFindings.repoId, repoId), eq(reviewFindings.prNumber, prNumber));
}

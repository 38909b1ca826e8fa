import type {
  FindingStatus,
  RaisedFinding,
  ReviewProgress,
  ReviewRound,
  ReviewVerdict,
} from '@mergexo/core/review';
import type { Redact } from '@mergexo/core/text';
import type { ReviewResult } from '@mergexo/core/turns';
import { and, asc, count, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { reviewFixes, reviewRounds } from '../schema/index.js';
import type { Pull } from './pulls.js';
import { listFindings, markFindingsFixed, type PullKey, raiseFinding } from './review-findings.js';

export type StoredRound = typeof reviewRounds.$inferSelect;
export type StoredFix = typeof reviewFixes.$inferSelect;
export type Reviews = ReturnType<typeof createReviews>;

/** The result of a review. */
export type RoundEnd = {
  result: Pick<ReviewResult, 'summary' | 'raised' | 'gone'>;
  verdict: ReviewVerdict<RaisedFinding>;
  /** Id of the review on GitHub; null if GitHub rejected the review. */
  remoteId: number | null;
};

/** The part of the review progress that these tables store. Configuration, turns and feedback are stored elsewhere. */
export type RecordedProgress = Pick<
  ReviewProgress,
  'prNumber' | 'headSha' | 'humanReviewRequired' | 'resumedAt' | 'skippedSha' | 'rounds' | 'fixes'
>;

/** Stores the rounds of the AI reviewer, and the fixes between them. */
export function createReviews(db: Drizzle, redact: Redact) {
  return { ...createRounds(db, redact), ...createFixes(db, redact), ...createProgress(db) };
}

function createRounds(db: Drizzle, redact: Redact) {
  const unjudged = isNull(reviewRounds.verdict);
  const countJudged = (pull: PullKey): number => {
    const judged = and(roundsOf(pull), isNotNull(reviewRounds.verdict));
    return db.select({ n: count() }).from(reviewRounds).where(judged).get()?.n ?? 0;
  };

  return {
    /** Records one round per head. Restarts a recorded round that has no verdict. */
    recordReviewRound(
      round: PullKey & Pick<StoredRound, 'headSha' | 'fixCycle' | 'turnKey'>,
      now: number,
    ): StoredRound {
      const { headSha, fixCycle, turnKey } = round;
      const number = countJudged(round) + 1;
      db.insert(reviewRounds)
        .values({ ...round, number, createdAt: now })
        .onConflictDoUpdate({
          target: [reviewRounds.repoId, reviewRounds.prNumber, reviewRounds.headSha],
          set: { fixCycle, turnKey, number, state: 'open', completedAt: null },
          setWhere: unjudged,
        })
        .run();
      const recorded = listRounds(db, round).find((other) => other.headSha === headSha);
      if (recorded === undefined) throw new Error(`the round of ${headSha} was not recorded`);
      return recorded;
    },

    readReviewRound(id: number): StoredRound | undefined {
      return db.select().from(reviewRounds).where(eq(reviewRounds.id, id)).get();
    },

    readReviewRoundOfTurn(turnKey: string): StoredRound | undefined {
      return db.select().from(reviewRounds).where(eq(reviewRounds.turnKey, turnKey)).get();
    },

    /** Lists review rounds, oldest first. */
    listReviewRounds(repoId: number, prNumber: number): StoredRound[] {
      return listRounds(db, { repoId, prNumber });
    },

    /**
     * Ends a round whose review failed, or whose head moved before the review was posted. Such a round never counts.
     */
    markReviewRoundEnded(id: number, state: 'outdated' | 'failed', now: number): void {
      db.update(reviewRounds)
        .set({ state, completedAt: now })
        .where(and(eq(reviewRounds.id, id), unjudged, eq(reviewRounds.state, 'open')))
        .run();
    },

    /**
     * Approves a rejected round after people dismissed its blocking findings. Returns false, without a change, if the
     * round was not rejected.
     */
    approveReviewRound(id: number): boolean {
      const rejected = and(eq(reviewRounds.id, id), eq(reviewRounds.verdict, 'changes_requested'));
      return db.update(reviewRounds).set({ verdict: 'approved' }).where(rejected).run().changes === 1;
    },

    /**
     * Stores the verdict and all findings. Call in a transaction. Returns false, without a change, if the round already
     * has a verdict.
     */
    completeReviewRound(id: number, { result, verdict, remoteId }: RoundEnd, now: number): boolean {
      const blocking = verdict.kind === 'approved' ? [] : verdict.blocking;
      const round = db
        .update(reviewRounds)
        .set({
          state: 'posted',
          verdict: verdict.kind,
          summary: redact(result.summary),
          blocking: blocking.map(({ fingerprint, category }) => ({ fingerprint, category })),
          remoteId,
          completedAt: now,
        })
        .where(and(eq(reviewRounds.id, id), unjudged))
        .returning()
        .get();
      if (round === undefined) return false;
      for (const finding of result.raised) raiseFinding(db, round, { finding: clean(finding, redact), now });
      markFindingsFixed(db, round, { ids: result.gone, now });
      return true;
    },
  };
}

function clean(finding: RaisedFinding, redact: Redact): RaisedFinding {
  const { body, suggestion } = finding;
  return { ...finding, body: redact(body), suggestion: suggestion && redact(suggestion) };
}

function createFixes(db: Drizzle, redact: Redact) {
  return {
    /** Records one fix per turn, and one per cycle unless the fix was superseded. Returns false for a duplicate. */
    recordReviewFix(fix: Omit<StoredFix, 'id' | 'endedAt'>, now: number): boolean {
      const inserted = db
        .insert(reviewFixes)
        .values({ ...fix, reason: fix.reason && redact(fix.reason), endedAt: now })
        .onConflictDoNothing()
        .run();
      return inserted.changes === 1;
    },

    /** Lists fixes, oldest first. */
    listReviewFixes(repoId: number, prNumber: number): StoredFix[] {
      return listFixes(db, { repoId, prNumber });
    },
  };
}

function createProgress(db: Drizzle) {
  return {
    readReviewProgress(
      pull: PullKey & Pick<Pull, 'headSha' | 'humanReviewRequired' | 'resumedAt' | 'reviewSkippedSha'>,
    ): RecordedProgress {
      const { prNumber, headSha, humanReviewRequired, resumedAt, reviewSkippedSha: skippedSha } = pull;
      const statuses = new Map(
        listFindings(db, pull).map(({ fingerprint, status }) => [fingerprint, status]),
      );
      return {
        prNumber,
        headSha: headSha ?? '',
        humanReviewRequired,
        resumedAt,
        skippedSha,
        rounds: listRounds(db, pull).map((round) => toRound(round, statuses)),
        fixes: listFixes(db, pull).map(({ roundId, outcome, endedAt }) => ({ roundId, outcome, endedAt })),
      };
    },
  };
}

function toRound(
  { id, headSha, fixCycle, verdict, state, blocking, completedAt }: StoredRound,
  statuses: ReadonlyMap<string, FindingStatus>,
): ReviewRound {
  return {
    id,
    headSha,
    cycle: fixCycle,
    verdict,
    blocking: (blocking ?? []).map((finding) => ({
      ...finding,
      status: statuses.get(finding.fingerprint) ?? 'open',
    })),
    hasFailed: state === 'failed',
    completedAt: completedAt ?? 0,
  };
}

function roundsOf({ repoId, prNumber }: PullKey) {
  return and(eq(reviewRounds.repoId, repoId), eq(reviewRounds.prNumber, prNumber));
}

function listRounds(db: Drizzle, pull: PullKey): StoredRound[] {
  return db.select().from(reviewRounds).where(roundsOf(pull)).orderBy(asc(reviewRounds.id)).all();
}

function listFixes(db: Drizzle, { repoId, prNumber }: PullKey): StoredFix[] {
  return db
    .select()
    .from(reviewFixes)
    .where(and(eq(reviewFixes.repoId, repoId), eq(reviewFixes.prNumber, prNumber)))
    .orderBy(asc(reviewFixes.id))
    .all();
}

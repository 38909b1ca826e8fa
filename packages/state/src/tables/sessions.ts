import type { Redact } from '@mergexo/core/text';
import { and, desc, eq } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { agentSessions } from '../schema/index.js';

export type Session = typeof agentSessions.$inferSelect;
export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(db: Drizzle, redact: Redact) {
  const active = (runId: number) => and(eq(agentSessions.runId, runId), eq(agentSessions.status, 'active'));

  return {
    readSession(runId: number): Session | undefined {
      return db.select().from(agentSessions).where(active(runId)).get();
    },

    /** Reads the latest session of a run, active or retired. */
    readLastSession(runId: number): Session | undefined {
      return db
        .select()
        .from(agentSessions)
        .where(eq(agentSessions.runId, runId))
        .orderBy(desc(agentSessions.id))
        .limit(1)
        .get();
    },

    /** Retires the active session, so that no later turn continues its conversation. */
    retireSession(runId: number, now: number): void {
      db.update(agentSessions).set({ status: 'retired', updatedAt: now }).where(active(runId)).run();
    },

    /** Saves the newest turn's session as the only active session of the run. */
    saveSession(
      said: Pick<Session, 'runId' | 'adapter' | 'threadId' | 'stateSummary'> &
        Partial<Pick<Session, 'lastProcessedEventKey'>>,
      now: number,
    ): void {
      const session = { ...said, stateSummary: said.stateSummary && redact(said.stateSummary) };
      const changed = db
        .update(agentSessions)
        .set({ ...session, updatedAt: now })
        .where(active(session.runId))
        .run().changes;
      if (changed > 0) return;
      db.insert(agentSessions)
        .values({ ...session, status: 'active', createdAt: now, updatedAt: now })
        .run();
    },
  };
}

import { and, eq } from 'drizzle-orm';
import type { Drizzle } from './open-database.js';
import { agentSessions } from './schema/index.js';

export type Session = typeof agentSessions.$inferSelect;
export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(db: Drizzle) {
  const active = (runId: number) => and(eq(agentSessions.runId, runId), eq(agentSessions.status, 'active'));

  return {
    readSession(runId: number): Session | undefined {
      return db.select().from(agentSessions).where(active(runId)).get();
    },

    /** One active session per run: the newest turn's. */
    saveSession(
      session: Pick<Session, 'runId' | 'adapter' | 'threadId' | 'stateSummary'>,
      now: number,
    ): void {
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

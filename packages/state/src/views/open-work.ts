import { LIVE_STATES } from '@mergexo/core/turns';
import { eq, isNull } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { actions, feedbackEvents, issueRuns, turns } from '../schema/index.js';
import { isIn } from '../schema/is-in.js';

export type OpenWork = ReturnType<typeof createOpenWork>;

export function createOpenWork(db: Drizzle) {
  const statements = [
    db.select({ id: turns.turnKey }).from(turns).where(isIn(turns.state, LIVE_STATES)).limit(1).prepare(),
    db
      .select({ id: actions.id })
      .from(actions)
      .where(isIn(actions.state, ['planned', 'sending']))
      .limit(1)
      .prepare(),
    db
      .select({ id: feedbackEvents.eventKey })
      .from(feedbackEvents)
      .where(isNull(feedbackEvents.processedAt))
      .limit(1)
      .prepare(),
    db.select({ id: issueRuns.id }).from(issueRuns).where(eq(issueRuns.status, 'ready')).limit(1).prepare(),
  ];
  return {
    /** True if a turn is live, a post is not settled, a comment is not answered, or a run is ready to start. */
    hasOpenWork: (): boolean => statements.some((statement) => statement.get() !== undefined),
  };
}

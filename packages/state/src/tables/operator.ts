import type { Pause } from '@mergexo/core/runs';
import type { Redact } from '@mergexo/core/text';
import { and, eq, lt } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { operatorPauses, operatorRequests } from '../schema/index.js';
import { stringifyRedacted } from '../stringify-redacted.js';

export type Operator = ReturnType<typeof createOperator>;

/** Operators' requests and pauses. */
export function createOperator(db: Drizzle, redact: Redact) {
  // Prepared once, because the poller reads the pauses every second.
  const pauses = db.select().from(operatorPauses).prepare();

  return {
    /** Returns the recorded answer; undefined if the request is new. */
    readOperatorAnswer(requestId: string): unknown {
      const row = db.select().from(operatorRequests).where(eq(operatorRequests.requestId, requestId)).get();
      return row === undefined ? undefined : JSON.parse(row.answer);
    },

    recordOperatorAnswer(request: { requestId: string; expiresAt: number }, answer: object): void {
      const { requestId, expiresAt } = request;
      db.insert(operatorRequests)
        .values({ requestId, expiresAt, answer: stringifyRedacted(answer, redact) })
        .run();
    },

    forgetOperatorRequestsBefore(time: number): void {
      db.delete(operatorRequests).where(lt(operatorRequests.expiresAt, time)).run();
    },

    listPauses(): Pause[] {
      return pauses.all();
    },

    /** Returns false if the same scope is paused already. The first pause keeps its time and reason. */
    recordPause(pause: Pause): boolean {
      const row = { ...pause, reason: pause.reason === null ? null : redact(pause.reason) };
      return db.insert(operatorPauses).values(row).onConflictDoNothing().run().changes === 1;
    },

    /** Returns false if the scope is not paused. */
    removePause({ repoId, issueNumber }: Pick<Pause, 'repoId' | 'issueNumber'>): boolean {
      const scope = and(eq(operatorPauses.repoId, repoId), eq(operatorPauses.issueNumber, issueNumber));
      return db.delete(operatorPauses).where(scope).run().changes === 1;
    },
  };
}

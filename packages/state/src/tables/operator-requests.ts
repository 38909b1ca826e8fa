import type { Redact } from '@mergexo/core/text';
import { eq, lt } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { operatorRequests } from '../schema/index.js';
import { stringifyRedacted } from '../stringify-redacted.js';

export type OperatorRequests = ReturnType<typeof createOperatorRequests>;

export function createOperatorRequests(db: Drizzle, redact: Redact) {
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
  };
}

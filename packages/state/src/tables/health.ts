import type { HealthReport } from '@mergexo/core/health';
import type { Redact } from '@mergexo/core/text';
import { sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { health } from '../schema/index.js';

export type HealthReports = ReturnType<typeof createHealthReports>;

export function createHealthReports(db: Drizzle, redact: Redact) {
  return {
    /** Saves a report. Keeps `since` while the code stays the same, even across restarts. */
    saveHealth(
      { subject, code, detail }: Pick<HealthReport, 'subject' | 'code' | 'detail'>,
      now: number,
    ): void {
      const words = detail === null ? null : redact(detail).slice(0, 500);
      const okAt = code === 'ok' ? now : null;
      db.insert(health)
        .values({ subject, code, since: now, checkedAt: now, okAt, detail: words })
        .onConflictDoUpdate({
          target: health.subject,
          set: {
            code,
            since: sql`case when ${health.code} = ${code} then ${health.since} else ${now} end`,
            checkedAt: now,
            okAt: sql`coalesce(${okAt}, ${health.okAt})`,
            detail: words,
          },
        })
        .run();
    },

    listHealth(): HealthReport[] {
      return db.select().from(health).all();
    },
  };
}

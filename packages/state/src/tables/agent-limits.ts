import type { Redact } from '@mergexo/core/text';
import { eq } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { agentLimits } from '../schema/index.js';

export type StoredAgentLimit = typeof agentLimits.$inferSelect;
export type AgentLimits = ReturnType<typeof createAgentLimits>;

export function createAgentLimits(db: Drizzle, redact: Redact) {
  return {
    readAgentLimit(adapter: string): StoredAgentLimit | undefined {
      return db.select().from(agentLimits).where(eq(agentLimits.adapter, adapter)).get();
    },

    saveAgentLimit(limit: StoredAgentLimit): void {
      const row = { ...limit, reason: redact(limit.reason).slice(0, 200) };
      db.insert(agentLimits).values(row).onConflictDoUpdate({ target: agentLimits.adapter, set: row }).run();
    },
  };
}

import type { StepKind } from '@mergexo/core/agent';
import type { Usage } from '@mergexo/core/turns';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at } from './columns.js';

/** Append-only log of what agents do, for people who watch. The oldest rows are deleted by age and size. */
export const agentSteps = sqliteTable(
  'agent_steps',
  {
    /** Never used twice, because readers continue after the last id that they saw. */
    id: integer('id').primaryKey({ autoIncrement: true }),
    turnKey: text('turn_key').notNull(),
    attempt: integer('attempt').notNull(),
    /** The 0-based position in the attempt. */
    position: integer('position').notNull(),
    kind: text('kind').$type<StepKind>().notNull(),
    text: text('text').notNull(),
    /** What the attempt had used so far, priced; null unless the step is about that. */
    usage: text('usage_json', { mode: 'json' }).$type<Usage>(),
    /** Bytes of all steps up to this one. The size of the table is the difference of two rows, without a scan. */
    bytesSoFar: integer('bytes_so_far').notNull(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [index('agent_steps_by_turn').on(table.turnKey)],
);

import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

export const FEED_NAMES = ['issues', 'issue_comments', 'review_comments', 'pulls', 'actions_runs'] as const;

/**
 * The read position of each GitHub feed. The cursor moves only when there are many newer rows, because every move
 * invalidates the ETag.
 */
export const feeds = sqliteTable(
  'feeds',
  {
    repoId: repoId(),
    name: text('name', { enum: FEED_NAMES }).notNull(),
    /** The GitHub time up to which the feed was read. For `actions_runs`, a digest of the watched heads. */
    cursor: text('cursor'),
    etag: text('etag'),
    /**
     * GitHub's time up to which all rows were recorded. The feed still returns those rows, because it starts at the
     * cursor.
     */
    recordedUpTo: text('recorded_up_to'),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.name] })],
);

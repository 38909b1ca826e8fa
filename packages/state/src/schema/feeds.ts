import { primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

export const FEED_NAMES = ['issues', 'issue_comments', 'review_comments', 'pulls', 'actions_runs'] as const;

/** Where each feed of GitHub was read up to. The cursor stays until newer rows come: a moving one defeats the ETag. */
export const feeds = sqliteTable(
  'feeds',
  {
    repoId: repoId(),
    name: text('name', { enum: FEED_NAMES }).notNull(),
    /** GitHub's time for a feed that is read from a time on; the digest of the watched heads for `actions_runs`. */
    cursor: text('cursor'),
    etag: text('etag'),
    updatedAt: at('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.name] })],
);

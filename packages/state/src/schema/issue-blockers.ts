import type { Blocker } from '@mergexo/core/scheduler';
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { at, repoId } from './columns.js';

/** The issues that other open issues block on GitHub. A row is deleted once nothing blocks its issue. */
export const issueBlockers = sqliteTable(
  'issue_blockers',
  {
    repoId: repoId(),
    issueNumber: integer('issue_number').notNull(),
    /** GitHub's count of open blockers, which is part of every issue. */
    count: integer('count').notNull(),
    /** The open blockers in GitHub's list; null if MergeXO has not listed them yet. */
    open: text('open_json', { mode: 'json' }).$type<readonly Blocker[]>(),
    /** Number of blockers in GitHub's list, including closed ones. */
    listed: integer('listed').notNull().default(0),
    etag: text('etag'),
    /** When the blockers were last listed; null if they must be listed again. */
    listedAt: at('listed_at'),
  },
  (table) => [primaryKey({ columns: [table.repoId, table.issueNumber] })],
);

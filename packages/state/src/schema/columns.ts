import { integer } from 'drizzle-orm/sqlite-core';
import { repositories } from './repositories.js';

/** Column for a time in UTC milliseconds. Times from GitHub are stored as GitHub's text instead. */
export const at = (name: string) => integer(name);

export const repoId = () =>
  integer('repo_id')
    .notNull()
    .references(() => repositories.id);

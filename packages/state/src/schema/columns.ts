import { integer } from 'drizzle-orm/sqlite-core';
import { repositories } from './repositories.js';

/** All times are UTC milliseconds, but those that GitHub gave us: they stay the text that GitHub wrote. */
export const at = (name: string) => integer(name);

export const repoId = () =>
  integer('repo_id')
    .notNull()
    .references(() => repositories.id);

import { eq, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { repositories } from '../schema/index.js';

export type Repository = typeof repositories.$inferSelect;
export type Repositories = ReturnType<typeof createRepositories>;

export function createRepositories(db: Drizzle) {
  const read = db
    .select()
    .from(repositories)
    .where(eq(repositories.id, sql.placeholder('id')))
    .prepare();

  return {
    saveRepository(repository: Repository): void {
      const { id, ...fields } = repository;
      db.insert(repositories)
        .values(repository)
        .onConflictDoUpdate({ target: repositories.id, set: fields })
        .run();
    },

    listRepositories(): Repository[] {
      return db.select().from(repositories).all();
    },

    readRepository(id: number): Repository | undefined {
      return read.get({ id });
    },
  };
}

import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Drizzle } from '../open-database.js';
import { type TASK_KINDS, tasks } from '../schema/index.js';

export type TaskKind = (typeof TASK_KINDS)[number];
export type Task = { repoId: number; kind: TaskKind; number: number };
export type Tasks = ReturnType<typeof createTasks>;

export function createTasks(db: Drizzle) {
  const ofTask = ({ repoId, kind, number }: Task) =>
    and(eq(tasks.repoId, repoId), eq(tasks.kind, kind), eq(tasks.number, number));
  const listPending = db
    .select({ repoId: tasks.repoId, kind: tasks.kind, number: tasks.number })
    .from(tasks)
    .where(
      and(
        eq(tasks.repoId, sql.placeholder('repoId')),
        eq(tasks.kind, sql.placeholder('kind')),
        isNull(tasks.doneAt),
      ),
    )
    .orderBy(asc(tasks.number))
    .prepare();

  return {
    /** Adds a task. Does not change a task that is already recorded, even if it is done. */
    recordTask({ repoId, kind, number }: Task, now: number): void {
      db.insert(tasks).values({ repoId, kind, number, createdAt: now }).onConflictDoNothing().run();
    },

    listPendingTasks(repoId: number, kind: TaskKind): Task[] {
      return listPending.all({ repoId, kind });
    },

    /** Marks a task as done, so that it cannot be recorded again. */
    markTaskDone(task: Task, now: number): void {
      db.update(tasks).set({ doneAt: now }).where(ofTask(task)).run();
    },

    deleteTask(task: Task): void {
      db.delete(tasks).where(ofTask(task)).run();
    },
  };
}

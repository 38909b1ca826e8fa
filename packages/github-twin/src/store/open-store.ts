import { z } from 'zod';
import { CheckRun, CheckSuite, Job, Status, WorkflowRun } from './check-rows.js';
import { type Entry, openJournal, readJournal, rewriteJournal } from './journal.js';
import { Reaction, Review, ReviewComment } from './review-rows.js';
import { Comment, Issue, Label, Repo, SeenRefs, Token, User } from './rows.js';
import { type Change, createTable } from './table.js';

const Counter = z.object({ id: z.number(), last: z.number().int() });

/** Bookkeeping and secrets are no part of the history. */
const UNTOLD = new Set(['counters', 'refs', 'tokens']);

export type Store = ReturnType<typeof openStore>;

/** The twin's state: plain tables in memory, kept in a journal so that a restart finds everything again. */
export function openStore({ file, onWrite }: { file: string; onWrite: (change: Change) => void }) {
  const earlier = readJournal(file);
  let journal: ReturnType<typeof openJournal> | undefined;
  const changed = (change: Change) => {
    journal?.append([change.table, change.id, change.op === 'delete' ? null : change.row]);
    if (!UNTOLD.has(change.table)) onWrite(change);
  };

  const tables = createTables(changed);
  const byName = new Map(Object.entries(tables));
  for (const [name, id, row] of earlier) byName.get(name)?.restore(id, row);
  rewriteJournal(file, dump(tables));
  journal = openJournal(file);

  return {
    ...tables,
    /** One sequence for everything that has an id: no two things of the twin share one. */
    nextId: () => {
      const last = (tables.counters.get(1)?.last ?? 1000) + 1;
      tables.counters.put({ id: 1, last });
      return last;
    },
    close: () => journal.close(),
  };
}

function createTables(changed: (change: Change) => void) {
  return {
    counters: createTable('counters', Counter, changed),
    users: createTable('users', User, changed),
    tokens: createTable('tokens', Token, changed),
    repos: createTable('repos', Repo, changed),
    refs: createTable('refs', SeenRefs, changed),
    labels: createTable('labels', Label, changed),
    issues: createTable('issues', Issue, changed),
    comments: createTable('comments', Comment, changed),
    reviews: createTable('reviews', Review, changed),
    reviewComments: createTable('reviewComments', ReviewComment, changed),
    reactions: createTable('reactions', Reaction, changed),
    statuses: createTable('statuses', Status, changed),
    checkSuites: createTable('checkSuites', CheckSuite, changed),
    checkRuns: createTable('checkRuns', CheckRun, changed),
    workflowRuns: createTable('workflowRuns', WorkflowRun, changed),
    jobs: createTable('jobs', Job, changed),
  };
}

function dump(tables: ReturnType<typeof createTables>): Entry[] {
  return Object.entries(tables).flatMap(([name, table]) =>
    table.all().map((row): Entry => [name, row.id, row]),
  );
}

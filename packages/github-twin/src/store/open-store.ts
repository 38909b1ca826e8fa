import { z } from 'zod';
import { CheckRun, CheckSuite, Job, Status, WorkflowRun } from './check-rows.js';
import { type Entry, openJournal, readJournal, rewriteJournal } from './journal.js';
import { Review, ReviewComment } from './review-rows.js';
import { Comment, Issue, Label, Repo, SeenRefs, Token, User } from './rows.js';
import { type Change, createTable, type TableEvents } from './table.js';

/** Ids in the table of counters. */
const [IDS, CLOCK] = [1, 2];
const Counter = z.object({ id: z.number(), last: z.number().int() });

/** Bookkeeping and secrets are no part of the history. */
const UNTOLD = new Set(['counters', 'refs', 'tokens']);

export type Store = ReturnType<typeof openStore>;

/** The twin's state: plain tables in memory, kept in a journal so that a restart finds everything again. */
export function openStore({
  file,
  onWrite,
  now = Date.now,
}: {
  file: string;
  onWrite: (change: Change) => void;
  now?: () => number;
}) {
  const earlier = readJournal(file);
  let journal: ReturnType<typeof openJournal> | undefined;
  const onChange = (change: Change) => {
    journal?.append([change.table, change.id, change.op === 'delete' ? null : change.row]);
    if (!UNTOLD.has(change.table)) onWrite(change);
  };

  const tables = createTables({ now, onChange });
  const byName = new Map(Object.entries(tables));
  try {
    for (const [name, id, row] of earlier) byName.get(name)?.restore(id, row);
  } catch (error) {
    throw new Error(`${file} holds what this twin does not understand`, { cause: error });
  }
  rewriteJournal(file, dump(tables));
  journal = openJournal(file);

  return {
    ...tables,
    /** One sequence for everything that has an id: no two things of the twin share one. */
    nextId: () => {
      const last = (tables.counters.get(IDS)?.last ?? 1000) + 1;
      tables.counters.put({ id: IDS, last });
      return last;
    },
    /** The latest time that the clock was moved to; 0 if it never was. */
    latestMs: () => tables.counters.get(CLOCK)?.last ?? 0,
    noteTime: (ms: number) => void tables.counters.put({ id: CLOCK, last: ms }),
    close: () => journal.close(),
  };
}

function createTables(events: TableEvents) {
  return {
    counters: createTable('counters', Counter, events),
    users: createTable('users', User, events),
    tokens: createTable('tokens', Token, events),
    repos: createTable('repos', Repo, events),
    refs: createTable('refs', SeenRefs, events),
    labels: createTable('labels', Label, events),
    issues: createTable('issues', Issue, events),
    comments: createTable('comments', Comment, events),
    reviews: createTable('reviews', Review, events),
    reviewComments: createTable('reviewComments', ReviewComment, events),
    statuses: createTable('statuses', Status, events),
    checkSuites: createTable('checkSuites', CheckSuite, events),
    checkRuns: createTable('checkRuns', CheckRun, events),
    workflowRuns: createTable('workflowRuns', WorkflowRun, events),
    jobs: createTable('jobs', Job, events),
  };
}

function dump(tables: ReturnType<typeof createTables>): Entry[] {
  return Object.entries(tables).flatMap(([name, table]) =>
    table.all().map((row): Entry => [name, row.id, row]),
  );
}

import type * as appRows from './app-rows.js';
import type * as rows from './rows.js';
import { type Change, createTable, type TableEvents } from './table.js';

export type Store = ReturnType<typeof createStore>;

/** The twin's state in memory. Secrets have a separate callback, so that the history does not contain them. */
export function createStore({ onToken, ...events }: TableEvents & { onToken(change: Change): void }) {
  let lastId = 1_000;
  const tables = createTables(events, onToken);
  return {
    ...tables,
    /** All tables share one id sequence. */
    nextId: () => {
      lastId += 1;
      return lastId;
    },
    lastId: () => lastId,
    skipIds: (last: number) => {
      lastId = last;
    },
    restore: (change: Change, ms: number) =>
      Object.entries(tables)
        .find(([name]) => name === change.table)?.[1]
        .restore(change, ms),
  };
}

function createTables(events: TableEvents, onToken: TableEvents['onChange']) {
  return {
    tokens: createTable<rows.Token>('tokens', { ...events, onChange: onToken }),
    appKeys: createTable<appRows.AppKey>('appKeys', { ...events, onChange: onToken }),
    appHooks: createTable<appRows.AppHook>('appHooks', { ...events, onChange: onToken }),
    apps: createTable<appRows.App>('apps', events),
    installations: createTable<appRows.Installation>('installations', events),
    users: createTable<rows.User>('users', events),
    repos: createTable<rows.Repo>('repos', events),
    labels: createTable<rows.Label>('labels', events),
    issues: createTable<rows.Issue>('issues', events),
    dependencies: createTable<rows.Dependency>('dependencies', events),
    comments: createTable<rows.Comment>('comments', events),
    reviews: createTable<rows.Review>('reviews', events),
    reviewComments: createTable<rows.ReviewComment>('reviewComments', events),
    reactions: createTable<rows.Reaction>('reactions', events),
    statuses: createTable<rows.Status>('statuses', events),
    checkSuites: createTable<rows.CheckSuite>('checkSuites', events),
    checkRuns: createTable<rows.CheckRun>('checkRuns', events),
    workflowRuns: createTable<rows.WorkflowRun>('workflowRuns', events),
    jobs: createTable<rows.Job>('jobs', events),
  };
}

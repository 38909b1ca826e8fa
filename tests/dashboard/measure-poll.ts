import { createState, openDatabase, type State } from '@mergexo/state';
import { aRemark } from '@mergexo/testkit';

/** The indexes that only the dashboard's pages brought. */
const INDEXES = [
  'feedback_events_by_author',
  'issue_runs_by_update',
  'pull_requests_by_status',
  'spend_by_run',
  'turns_by_run',
];
const ROUNDS = 200;

/** What the poller does in SQLite while it polls. Each call uses other rows. */
const STEPS: Record<string, (state: State, round: number) => void> = {
  'records a comment': (state, round) => {
    const remark = aRemark({ thread: 2 + 2 * round, commentId: 900_000_000 + round });
    state.recordFeedbackEvent({ repoId: 1, issueNumber: 1 + 2 * round, remark, skipReason: null }, round);
  },
  'saves a run': (state, round) => {
    const run = state.readRun(1 + round);
    if (run !== undefined) state.saveRun(run, Date.now() + round);
  },
  'sums the spending of a run': (state, round) => void state.sumSpendOfRun(1 + round, 0),
  'lists the turns of a run': (state, round) => void state.listTurnsOfRun(1 + round),
};

/** Times the steps with and without the dashboard's indexes. Nothing is committed. */
export function measurePoll(path: string): string[] {
  const database = openDatabase(path);
  const state = createState(database);
  try {
    return Object.entries(STEPS).map(([name, step]) => {
      const indexed = measure(database, state, { step, drops: [] });
      const bare = measure(database, state, { step, drops: INDEXES });
      return `poll, ${name}: ${indexed} µs, without the dashboard's indexes ${bare} µs`;
    });
  } finally {
    state.close();
  }
}

function measure(
  { sqlite }: ReturnType<typeof openDatabase>,
  state: State,
  { step, drops }: { step: (state: State, round: number) => void; drops: readonly string[] },
): string {
  sqlite.exec('begin immediate');
  try {
    for (const name of drops) sqlite.exec(`drop index ${name}`);
    step(state, ROUNDS);
    const started = performance.now();
    for (let round = 0; round < ROUNDS; round += 1) step(state, round);
    return (((performance.now() - started) / ROUNDS) * 1_000).toFixed(0);
  } finally {
    sqlite.exec('rollback');
  }
}

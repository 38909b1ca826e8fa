import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { createState } from './create-state.js';
import { type Database, openDatabase } from './open-database.js';
import * as schema from './schema/index.js';

/** Every column from the original design that the code uses. A renamed column is `old → new`. */
const REQUIRED: Record<string, readonly string[]> = {
  repositories: ['id', 'owner', 'name', 'default_branch'],
  'work_items → issue_runs': [
    'id',
    'repo_id',
    'kind → flow',
    'issue_number',
    'design_doc_path',
    'priority',
    'status',
    'parent_work_item_id → parent_run_id',
    'conflict_hint_paths',
    'created_at',
    'updated_at',
  ],
  issue_runs: ['issue_number', 'status', 'pr_number', 'branch', 'error'],
  pull_requests: [
    'id',
    'repo_id',
    'github_pr_number → pr_number',
    'work_item_id → run_id',
    'branch',
    'head_sha',
    'state → status',
    'url',
  ],
  'pr_feedback_state → pull_requests': [
    'pr_number',
    'issue_number',
    'branch',
    'status',
    'last_seen_head_sha',
    'updated_at',
  ],
  agent_sessions: [
    'id',
    'work_item_id → run_id',
    'adapter',
    'external_session_id → thread_id',
    'status',
    'last_processed_event_id → last_processed_event_key',
  ],
  feedback_events: [
    'event_key',
    'pr_number',
    'issue_number',
    'kind',
    'comment_id',
    'updated_at',
    'processed_at',
    'created_at',
  ],
  'github_events → feedback_events': [
    'id → event_key',
    'repo_id',
    'event_type → kind',
    'github_event_id → comment_id',
    'payload_json',
    'seen_at',
    'processed_at',
  ],
  runtime_events: ['id', 'repo_id', 'work_item_id → run_id', 'event_type', 'payload_json', 'created_at'],
  'scheduler_leases → worker_leases': ['name → worker_id', 'holder_id → host', 'expires_at'],
  accounts: ['repo_id', 'account_id'],
  rate_limits: ['login', 'request_limit', 'requests_left', 'resets_at'],
  tasks: ['repo_id', 'kind', 'number', 'created_at', 'done_at'],
  lost_secrets: ['repo_id', 'keys_mark', 'since', 'etag'],
  repo_watch: ['repo_id', 'rebuilt_at', 'base_moved_at', 'checks_swept_pr'],
  pull_watch: ['repo_id', 'pr_number', 'missing_head_sha', 'mergeable_head_sha', 'checks_head_sha'],
  issue_watch: ['repo_id', 'issue_number', 'seen_updated_at', 'dependency_state'],
  issue_blockers: ['repo_id', 'issue_number', 'count', 'listed_at'],
  agent_limits: ['adapter', 'since', 'until', 'reason'],
  pre_pr_followup_state: [
    'repo_full_name → repo_id',
    'issue_number',
    'flow',
    'branch',
    'context_json',
    'waiting_reason',
    'updated_at',
  ],
  issue_comment_cursors: [
    'repo_full_name → repo_id',
    'issue_number',
    'pre_pr_last_consumed_comment_id',
    'post_pr_last_redirected_comment_id',
    'updated_at',
  ],
  'poll_cursors → feeds': ['repo_id', 'feed → name', 'cursor', 'etag'],
  turns: ['turn_key', 'epoch', 'state', 'plan_json', 'bundle'],
  actions: ['id', 'token', 'kind', 'target', 'state', 'remote_id'],
  review_rounds: ['pr_number', 'head_sha', 'fix_cycle', 'verdict'],
  review_fixes: ['pr_number', 'round_id', 'fix_cycle', 'turn_key', 'outcome'],
  review_findings: ['fingerprint', 'severity', 'category', 'path', 'line', 'body', 'status'],
  health: ['subject', 'code', 'since', 'checked_at', 'ok_at', 'detail'],
  spend: ['turn_key', 'input_tokens', 'output_tokens', 'cost_usd'],
};

const ours = (name: string): string => name.split(' → ').at(-1) ?? name;

describe('the migrated schema', () => {
  const directory = createTemporaryDirectory();
  let database: Database;
  beforeAll(() => {
    database = openDatabase(join(directory.path, 'state.db'));
  });
  afterAll(() => {
    database.close();
    directory.remove();
  });

  const columnsOf = (table: string): string[] =>
    database.sqlite
      .prepare('select name from pragma_table_info(?) order by name')
      .pluck()
      .all(table)
      .map(String);

  it.each(Object.entries(REQUIRED))('keeps the columns of %s', (table, columns) => {
    expect(columnsOf(ours(table))).toEqual(expect.arrayContaining(columns.map(ours)));
  });

  it('has exactly the columns that the code declares', () => {
    const exported: unknown[] = Object.values(schema);
    const tables = exported.filter((value) => is(value, SQLiteTable));
    expect(tables.length).toBeGreaterThan(14);
    for (const table of tables) {
      const { name, columns } = getTableConfig(table);
      expect([name, columnsOf(name)]).toEqual([name, columns.map((column) => column.name).sort()]);
    }
  });

  /** Returns how SQLite runs the queries that this work prepares. */
  const explain = (work: () => void): string[] => {
    const prepare = database.sqlite.prepare.bind(database.sqlite);
    const queries: string[] = [];
    Object.assign(database.sqlite, {
      prepare(sql: string) {
        queries.push(sql);
        return prepare(sql);
      },
    });
    work();
    Object.assign(database.sqlite, { prepare });
    return queries
      .filter((sql) => sql.startsWith('select'))
      .flatMap((sql) => prepare(`explain query plan ${sql.replaceAll('?', "'a'")}`).all())
      .map((row) => String(Object(row)['detail']));
  };
  const GROWING = /^SCAN (?:actions|turns|feedback_events|runtime_events|spend|agent_steps)\b/;
  /** These indexes contain only rows that wait for something, so they stay small. */
  const SMALL = / USING INDEX (?:actions_unsettled|feedback_events_pending|turns_live)$/;

  it('lets the queries that the poller repeats read no growing table as a whole', () => {
    const plans = explain(() => createState(database));
    expect(plans.filter((plan) => SMALL.test(plan)).length).toBeGreaterThan(2);
    // The newest event is the last row, so this query reads one row.
    expect(plans.filter((plan) => GROWING.test(plan) && !SMALL.test(plan))).toEqual(['SCAN runtime_events']);
  });

  it('finds the comments of a turn by an index', () => {
    const state = createState(database);
    const plans = explain(() => state.listEventsOfFeedbackTurn('a'));
    expect(plans).toEqual([expect.stringMatching(/^SEARCH .*feedback_events_by_turn/)]);
  });

  it('is opened with WAL, synchronous FULL, foreign keys and a busy timeout', () => {
    const pragma = (name: string) => database.sqlite.pragma(name, { simple: true });
    expect(pragma('journal_mode')).toBe('wal');
    expect(pragma('synchronous')).toBe(2);
    expect(pragma('foreign_keys')).toBe(1);
    expect(pragma('busy_timeout')).toBe(5_000);
  });
});

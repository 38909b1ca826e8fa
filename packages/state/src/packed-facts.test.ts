import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import type BetterSqlite3 from 'better-sqlite3';
import { openState, type State } from './create-state.js';
import { FEED_NAMES } from './schema/index.js';
import type { TaskKind } from './tables/tasks.js';
import { createOldDatabase } from './testing/create-old-database.js';

/** The last migration that packed facts into `poll_cursors` and `scheduler_leases`. */
const LAST_PACKED = '0004_lease_since';

const LEASES: readonly [name: string, holder: string, since: number, expiresAt: number][] = [
  ['limit/codex', 'usage-limit: no credit', 100, 900],
  ['worker/mini-1', 'mini.local:4711', 200, 800],
  ['worker/ipv6-2', 'fe80::1:42', 300, 700],
];

const CURSORS: readonly [repoId: number, feed: string, cursor: string | null, etag: string | null][] = [
  [1, 'issues', '2026-01-02T12:00:00Z', 'W/"2"'],
  [1, 'issue_comments', '2026-01-02T12:00:01Z', null],
  [1, 'review_comments', '2026-01-02T12:00:02Z', null],
  [1, 'pulls', null, 'W/"3"'],
  [1, 'actions_runs', 'digest-of-heads', 'W/"4"'],
  [1, 'account:77', null, null],
  [1, 'account:8', null, null],
  [2, 'account:8', null, null],
  // The migration keeps the limit of repository 2, which is newer.
  [1, 'rate_left', '{"login":"robot","limit":5000,"left":4999,"resetsAt":1000}', null],
  [2, 'rate_left', '{"login":"robot","limit":5000,"left":4321,"resetsAt":2000}', null],
  [1, 'merged/12', null, null],
  [1, 'merged/9', null, null],
  [1, 'recall/4', 'due', null],
  [1, 'recall/5', null, null],
  [1, 'catch_up', null, null],
  [1, 'rebuilt', '1731000000123', null],
  [1, 'base_moved', '2026-01-02T10:00:00Z', null],
  [1, 'review_sweep', '31', null],
  [1, 'checks_sweep', '32', null],
  [1, 'waiting_look', '5 1731000000456', null],
  [2, 'waiting_look', '6 1731000000457', null],
  [1, 'missing_head/31', 'aaa 1731000000789', null],
  [1, 'mergeable/31', 'bbb 2026-01-02T09:00:00Z', null],
  [1, 'checks/31', 'ccc 2026-01-02T08:00:00Z settled 1731000000999', '["W/\\"1\\"",null]'],
  [1, 'checks/32', 'ddd null pending 1731000001000', null],
  [1, 'document/31', 'eee', null],
  [1, 'document/33', 'fff', null],
  [1, 'issue_seen/7', '2026-01-02T07:00:00Z', null],
  [1, 'issue_state/7', 'closed 1731000002000', null],
  [1, 'issue_state/8', 'open 1731000003000', null],
  [2, 'secret_lost', 'abc123 2026-01-02T12:00:00Z', 'W/"7"'],
];

function fillPacked(sqlite: BetterSqlite3.Database): void {
  const lease = sqlite.prepare(
    'insert into scheduler_leases (name, holder_id, since, expires_at) values (?, ?, ?, ?)',
  );
  for (const row of LEASES) lease.run(...row);
  const cursor = sqlite.prepare(
    'insert into poll_cursors (repo_id, feed, cursor, etag, updated_at) values (?, ?, ?, ?, ?)',
  );
  for (const [index, row] of CURSORS.entries()) cursor.run(...row, index);
}

describe('a database with facts packed into strings', () => {
  const directory = createTemporaryDirectory();
  let state: State;
  beforeAll(() => {
    const path = join(directory.path, 'state.db');
    createOldDatabase(path, LAST_PACKED, fillPacked);
    state = openState(path);
  });
  afterAll(() => {
    state.close();
    directory.remove();
  });

  it('keeps the position of each feed', () => {
    const feeds = FEED_NAMES.map((name) => [name, state.readFeed(1, name)]);
    expect(Object.fromEntries(feeds)).toEqual({
      issues: { cursor: '2026-01-02T12:00:00Z', etag: 'W/"2"', recordedUpTo: null },
      issue_comments: { cursor: '2026-01-02T12:00:01Z', etag: null, recordedUpTo: null },
      review_comments: { cursor: '2026-01-02T12:00:02Z', etag: null, recordedUpTo: null },
      pulls: { cursor: null, etag: 'W/"3"', recordedUpTo: null },
      actions_runs: { cursor: 'digest-of-heads', etag: 'W/"4"', recordedUpTo: null },
    });
    expect(state.readFeed(2, 'issues')).toBeUndefined();
  });

  it('keeps the accounts of each repository', () => {
    expect([state.listAccounts(1), state.listAccounts(2)]).toEqual([[8, 77], [8]]);
  });

  it('keeps the newest rate limit of each login', () => {
    expect(state.listRateLimits(0)).toEqual([{ login: 'robot', limit: 5_000, left: 4_321, resetsAt: 2_000 }]);
  });

  it('keeps pending work', () => {
    const pending = (kind: TaskKind) => state.listPendingTasks(1, kind).map(({ number }) => number);
    expect([pending('promote_merged'), pending('recall_issue'), pending('catch_up')]).toEqual([
      [9, 12],
      [4],
      [0],
    ]);
    expect(state.listPendingTasks(2, 'promote_merged')).toEqual([]);
  });

  it('remembers which issues were already recalled', () => {
    state.recordTask({ repoId: 1, kind: 'recall_issue', number: 5 }, 1);
    expect(state.listPendingTasks(1, 'recall_issue')).toHaveLength(1);
  });

  it('keeps the pause for a lost secret', () => {
    const since = Date.parse('2026-01-02T12:00:00Z');
    expect(state.readLostSecret(2)).toEqual({ repoId: 2, keysMark: 'abc123', since, etag: 'W/"7"' });
    expect(state.readLostSecret(1)).toBeUndefined();
  });

  it('keeps the facts about a whole repository', () => {
    expect(state.readRepoWatch(1)).toEqual({
      repoId: 1,
      rebuiltAt: 1_731_000_000_123,
      baseMovedAt: '2026-01-02T10:00:00Z',
      checksSweptPr: 32,
      waitingRunId: 5,
      waitingCheckedAt: 1_731_000_000_456,
      intakeRules: null,
    });
    expect(state.readRepoWatch(2)).toMatchObject({ waitingRunId: 6, rebuiltAt: null });
  });

  it('keeps the facts about pull requests', () => {
    expect(state.readPullWatch(1, 31)).toEqual({
      repoId: 1,
      prNumber: 31,
      missingHeadSha: 'aaa',
      missingHeadSince: 1_731_000_000_789,
      mergeableHeadSha: 'bbb',
      mergeableBaseAt: '2026-01-02T09:00:00Z',
      checksHeadSha: 'ccc',
      checksSettled: true,
      checksSince: 1_731_000_000_999,
      checksEtag: 'W/"1"',
      statusesEtag: null,
      documentHeadSha: 'eee',
    });
    expect(state.readPullWatch(1, 32)).toMatchObject({
      checksHeadSha: 'ddd',
      checksSettled: false,
      checksSince: 1_731_000_001_000,
      documentHeadSha: null,
    });
    expect(state.readPullWatch(1, 33)).toMatchObject({ checksHeadSha: null, documentHeadSha: 'fff' });
  });

  it('keeps the facts about issues', () => {
    const closed = { dependencyState: 'closed', dependencyCheckedAt: 1_731_000_002_000 };
    const open = { dependencyState: 'open', dependencyCheckedAt: 1_731_000_003_000 };
    expect(state.readIssueWatch(1, 7)).toMatchObject({ seenUpdatedAt: '2026-01-02T07:00:00Z', ...closed });
    expect(state.readIssueWatch(1, 8)).toMatchObject({ seenUpdatedAt: null, ...open });
  });

  it('keeps the limits of agents', () => {
    expect(state.readAgentLimit('codex')).toEqual({
      adapter: 'codex',
      since: 100,
      until: 900,
      reason: 'usage-limit: no credit',
    });
  });

  it('keeps the leases of workers, with host and process id in separate columns', () => {
    expect(state.listWorkerLeases()).toEqual([
      { workerId: 'ipv6-2', host: 'fe80::1', pid: 42, since: 300, expiresAt: 700, notices: null },
      { workerId: 'mini-1', host: 'mini.local', pid: 4711, since: 200, expiresAt: 800, notices: null },
    ]);
  });
});

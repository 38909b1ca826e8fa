import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { Sqlite } from './better-sqlite3.js';
import { openState, type State } from './create-state.js';
import { MIGRATIONS } from './migrate.js';

/** The last version that packed facts into `poll_cursors` and `scheduler_leases`. */
const LAST_PACKED = '0004_lease_since';
const PACKED_MIGRATIONS = Number(LAST_PACKED.slice(0, 4)) + 1;

const LEASES: readonly [name: string, holder: string, since: number, expiresAt: number][] = [
  ['limit/codex', 'usage-limit: no credit', 100, 900],
  ['worker/mini-1', 'mini.local:4711', 200, 800],
  ['worker/ipv6-2', 'fe80::1:42', 300, 700],
];

const CURSORS: readonly [repoId: number, feed: string, cursor: string | null, etag: string | null][] = [
  [1, 'account:77', null, null],
  [1, 'account:8', null, null],
  [2, 'account:8', null, null],
  // The row of repository 2 is the newer one.
  [1, 'rate_left', '{"login":"robot","limit":5000,"left":4999,"resetsAt":1000}', null],
  [2, 'rate_left', '{"login":"robot","limit":5000,"left":4321,"resetsAt":2000}', null],
];

function createPackedDatabase(path: string): void {
  const sqlite = new Sqlite(path);
  sqlite.exec(
    'create table __drizzle_migrations (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)',
  );
  const record = sqlite.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)');
  const packed = readMigrationFiles({ migrationsFolder: MIGRATIONS }).slice(0, PACKED_MIGRATIONS);
  for (const { sql, hash, folderMillis } of packed) {
    for (const statement of sql) sqlite.exec(statement);
    record.run(hash, folderMillis);
  }
  const lease = sqlite.prepare(
    'insert into scheduler_leases (name, holder_id, since, expires_at) values (?, ?, ?, ?)',
  );
  for (const row of LEASES) lease.run(...row);
  const repository = sqlite.prepare(
    `insert into repositories (id, owner, name, default_branch) values (?, 'o', ?, 'main')`,
  );
  for (const id of [1, 2]) repository.run(id, `n${id}`);
  const cursor = sqlite.prepare(
    'insert into poll_cursors (repo_id, feed, cursor, etag, updated_at) values (?, ?, ?, ?, ?)',
  );
  for (const [index, row] of CURSORS.entries()) cursor.run(...row, index);
  sqlite.close();
  chmodSync(path, 0o600);
}

describe('a database with facts packed into strings', () => {
  const directory = createTemporaryDirectory();
  let state: State;
  beforeAll(() => {
    const path = join(directory.path, 'state.db');
    createPackedDatabase(path);
    state = openState(path);
  });
  afterAll(() => {
    state.close();
    directory.remove();
  });

  it('keeps the accounts of each repository', () => {
    expect([state.listAccounts(1), state.listAccounts(2)]).toEqual([[8, 77], [8]]);
  });

  it('keeps the newest rate limit of each login', () => {
    expect(state.listRateLimits(0)).toEqual([{ login: 'robot', limit: 5_000, left: 4_321, resetsAt: 2_000 }]);
  });

  it('keeps the limits of agents', () => {
    expect(state.readAgentLimit('codex')).toEqual({
      adapter: 'codex',
      since: 100,
      until: 900,
      reason: 'usage-limit: no credit',
    });
  });

  it('keeps the leases of workers, with host and process id apart', () => {
    expect(state.listWorkerLeases()).toEqual([
      { workerId: 'ipv6-2', host: 'fe80::1', pid: 42, since: 300, expiresAt: 700 },
      { workerId: 'mini-1', host: 'mini.local', pid: 4711, since: 200, expiresAt: 800 },
    ]);
  });
});

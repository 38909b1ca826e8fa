import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { Sqlite } from './better-sqlite3.js';
import { openState } from './create-state.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');

/** Each fixture is the SQL dump of one version's database, because a text file has readable diffs. */
describe.each(readdirSync(FIXTURES))('a database from %s', (fixture) => {
  it('opens, is migrated and keeps its rows', () => {
    const directory = createTemporaryDirectory();
    const path = join(directory.path, 'state.db');
    const old = new Sqlite(path);
    old.exec(readFileSync(join(FIXTURES, fixture), 'utf8'));
    old.close();
    // MergeXO refuses a database that other users can read.
    chmodSync(path, 0o600);
    const state = openState(path);
    try {
      const runs = state.listRepositories().flatMap(({ id }) => state.listRuns(id, ['failed', 'merged']));
      expect(runs.map(({ issueNumber, status }) => [issueNumber, status])).toEqual([
        [11, 'failed'],
        [12, 'failed'],
        [13, 'failed'],
        [14, 'failed'],
        [15, 'merged'],
      ]);
      expect(runs.every(({ ignoredSince, labelGone }) => ignoredSince === null && !labelGone)).toBe(true);
    } finally {
      state.close();
      directory.remove();
    }
  });
});

it('the migrations are listed in the order of their times, because Drizzle compares only times', () => {
  const journal = JSON.parse(readFileSync(join(FIXTURES, '../migrations/meta/_journal.json'), 'utf8'));
  const times: number[] = journal.entries.map(({ when }: { when: number }) => when);
  expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
});

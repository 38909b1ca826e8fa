/**
 * Writes the database of the current version to `<version>.sql`, so that tests of later versions open it.
 * Usage: node packages/state/dist/testing/write-fixture.js <version> [directory]
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sqlite } from '../better-sqlite3.js';
import { openState } from '../create-state.js';
import { dumpDatabase } from './dump-database.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures');
const [version = '', out = FIXTURES] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+(?:-[a-z\d.]+)?$/.test(version))
  throw new Error('Usage: write-fixture.js <version> [directory]');

const dir = mkdtempSync(join(tmpdir(), 'mergexo-fixture-'));
try {
  const path = join(dir, 'state.db');
  const first = new Sqlite(path);
  first.exec(readFileSync(join(FIXTURES, 'first.sql'), 'utf8'));
  first.close();
  chmodSync(path, 0o600);
  openState(path).close();
  const current = new Sqlite(path, { readonly: true });
  writeFileSync(join(out, `${version}.sql`), dumpDatabase(current));
  current.close();
} finally {
  rmSync(dir, { recursive: true, force: true });
}

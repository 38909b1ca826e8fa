import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { isDamaged } from '../open-database.js';
import { copyDatabase, foldLog, syncDirectoryOf } from './copy-database.js';

/**
 * Replaces the database with a copy of `source`, and keeps the replaced one as `keepAs`. The caller holds the poller's
 * lock. A crash at any point leaves either the old or the new database in place, complete.
 */
export function replaceDatabase({
  path,
  source,
  keepAs,
}: {
  path: string;
  source: string;
  keepAs: string;
}): void {
  const draft = `${path}.restoring`;
  rmSync(draft, { force: true });
  copyDatabase(source, draft);
  if (existsSync(path)) {
    // Changes in the log of the old database would otherwise be applied to the new one. A damaged database keeps its log.
    if (isDamaged(path)) keepLog(path, keepAs);
    else foldLog(path);
    keep(path, keepAs);
  }
  renameSync(draft, path);
  syncDirectoryOf(path);
}

function keep(path: string, keepAs: string): void {
  try {
    linkSync(path, keepAs);
  } catch {
    // Some file systems have no hard links.
    copyFileSync(path, keepAs, constants.COPYFILE_EXCL);
  }
}

function keepLog(path: string, keepAs: string): void {
  for (const suffix of ['-wal', '-shm'])
    if (existsSync(path + suffix)) renameSync(path + suffix, keepAs + suffix);
}

import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { markSecret, readSecret, readSettings, type Settings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import { checkDatabase, holdLock, replaceDatabase } from '@mergexo/state';
import { upLockPath } from '../../acquire-command-lock.js';
import type { Context } from '../../context.js';
import { type BackupNote, pathsOfBackup, readBackupNote, toStamp } from './backup-directory.js';

export type RestoreOptions = { yes?: boolean };

/** Replaces the database and the signing secret with those of a backup, and keeps the replaced files. */
export async function restore(context: Context, from: string, { yes }: RestoreOptions): Promise<void> {
  const directory = resolve(from);
  const note = readBackupNote(directory);
  const settings = readSettings(context);
  const files = pathsOfBackup(directory);
  checkDatabase(files.database);
  if (note.secret === 'file') readSecret(files.secret, undefined);
  if (!yes && !(await confirm(context, settings, note))) {
    context.print({ ok: true, restored: false }, () => ['Nothing was changed.']);
    return;
  }
  const kept = withLocks(settings, () => replaceFiles(settings, note, files));
  context.print({ ok: true, restored: true, created_at: note.created_at, kept }, () => [
    `Restored the backup of ${note.created_at}.`,
    ...kept.map((path) => `The replaced file is now ${path}. Delete it when you no longer need it.`),
    'The config was not changed. Start MergeXO: it reads the changes since the backup from GitHub.',
  ]);
}

async function confirm(context: Context, { paths }: Settings, { created_at }: BackupNote): Promise<boolean> {
  if (context.confirm === undefined)
    throw new UsageError(
      'This command needs a confirmation, but there is no terminal. Add --yes to confirm. Nothing was changed.',
    );
  return context.confirm(`Replace ${paths.database} with the backup of ${created_at}?`);
}

/** Neither a poller nor `up` may run, because both would continue with the old database. */
function withLocks<T>(settings: Settings, work: () => T): T {
  const holder = {
    pid: process.pid,
    host: hostname(),
    startedAt: new Date().toISOString(),
    purpose: 'mergexo restore',
  };
  const up = holdLock(upLockPath(settings), holder);
  try {
    const poller = holdLock(settings.paths.lock, holder);
    try {
      return work();
    } finally {
      poller.release();
    }
  } finally {
    up.release();
  }
}

/**
 * Writes the fingerprint of the secret first, then the database, then the secret. If the command dies in between, the
 * poller refuses to start with a database and a secret that do not belong together, and you can restore again.
 */
function replaceFiles(
  { paths }: Settings,
  note: BackupNote,
  files: ReturnType<typeof pathsOfBackup>,
): string[] {
  const suffix = `before-restore-${toStamp(Date.now())}`;
  mkdirSync(dirname(paths.database), { recursive: true, mode: 0o700 });
  const old = { database: existsSync(paths.database), secret: isReplaced(paths.secret, note, files.secret) };
  if (note.secret === 'file') markSecret(paths.secret, readSecret(files.secret, undefined));
  replaceDatabase({ path: paths.database, source: files.database, keepAs: `${paths.database}.${suffix}` });
  if (old.secret) copyFileSync(paths.secret, `${paths.secret}.${suffix}`);
  if (note.secret === 'file') {
    copyFileSync(files.secret, `${paths.secret}.restoring`);
    renameSync(`${paths.secret}.restoring`, paths.secret);
  }
  return [
    ...(old.database ? [`${paths.database}.${suffix}`] : []),
    ...(old.secret ? [`${paths.secret}.${suffix}`] : []),
  ];
}

/** True if the backup contains a different secret than the installation. */
function isReplaced(path: string, { secret }: BackupNote, backup: string): boolean {
  if (secret === 'environment' || !existsSync(path)) return false;
  return !readFileSync(path).equals(readFileSync(backup));
}

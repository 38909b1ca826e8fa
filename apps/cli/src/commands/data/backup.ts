import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readSecret, readSettings } from '@mergexo/config';
import { Failure, MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import { copyDatabase } from '@mergexo/state';
import type { Context } from '../../context.js';
import { type BackupNote, pathsOfBackup, toStamp } from './backup-directory.js';

/** Copies the database, the signing secret and the config to a new directory, even while MergeXO runs. */
export function backup(context: Context, directory: string | undefined): void {
  const { paths, signingSecret, configPath } = readSettings(context);
  const target = resolve(directory ?? `mergexo-backup-${toStamp(Date.now())}`);
  if (existsSync(target)) throw new UsageError(`${target} exists already. Choose another directory.`);
  if (!existsSync(paths.database))
    throw new Failure('not-found', `${paths.database} is missing. Run \`${MERGEXO_CLI} init\`.`);
  // A backup without its secret would be of little use, so a missing or invalid secret is an error.
  readSecret(paths.secret, signingSecret);
  const note: BackupNote = {
    version: 1,
    created_at: new Date().toISOString(),
    secret: signingSecret === undefined ? 'file' : 'environment',
  };
  const draft = `${target}.partial-${process.pid}`;
  try {
    mkdirSync(dirname(target), { recursive: true });
    mkdirSync(draft, { mode: 0o700 });
    const files = pathsOfBackup(draft);
    copyDatabase(paths.database, files.database);
    if (note.secret === 'file') copyFileSync(paths.secret, files.secret);
    copyFileSync(configPath, files.config);
    writeFileSync(files.note, `${JSON.stringify(note, null, 2)}\n`);
    renameSync(draft, target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  context.print({ ok: true, directory: target, ...note }, () => [
    `Backup written to ${target}. Keep it private: ${note.secret === 'file' ? 'it contains the signing secret' : 'the database contains the text of issues and comments'}.`,
    ...(note.secret === 'environment'
      ? ['MERGEXO_SECRET is not part of the backup. Store it yourself.']
      : []),
    `To restore it, stop MergeXO and run \`${MERGEXO_CLI} restore ${target}\`.`,
  ]);
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '@mergexo/core/basics';

/** Describes a backup. Written last, so that a directory with this file is complete. */
export type BackupNote = {
  version: 1;
  created_at: string;
  /** `environment`: the secret is in MERGEXO_SECRET, which a backup does not contain. */
  secret: 'file' | 'environment';
};

export const pathsOfBackup = (directory: string) => ({
  note: join(directory, 'backup.json'),
  database: join(directory, 'state.db'),
  secret: join(directory, 'secret'),
  config: join(directory, 'mergexo.toml'),
});

/** Reads the note of a complete backup. Throws if the directory is something else. */
export function readBackupNote(directory: string): BackupNote {
  const { note, database } = pathsOfBackup(directory);
  if (!existsSync(note) || !existsSync(database))
    throw new UsageError(`${directory} is not a backup: it contains no backup.json or no state.db.`);
  const parsed = parse(readFileSync(note, 'utf8'));
  if (parsed !== undefined) return parsed;
  throw new UsageError(`${note} is from another version of MergeXO, or damaged. Nothing was changed.`);
}

function parse(text: string): BackupNote | undefined {
  try {
    const { version, created_at, secret }: Partial<BackupNote> = JSON.parse(text);
    if (version !== 1 || typeof created_at !== 'string') return undefined;
    return secret === 'file' || secret === 'environment' ? { version, created_at, secret } : undefined;
  } catch {
    return undefined;
  }
}

/** A time as part of a file name, such as 20260203-040506-789. */
export function toStamp(time: number): string {
  return new Date(time).toISOString().slice(0, 23).replaceAll(/[-:]/g, '').replaceAll(/[T.]/g, '-');
}

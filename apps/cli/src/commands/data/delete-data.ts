import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { Settings } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import { removeTree } from '@mergexo/process';
import { checkDatabase, holdLock } from '@mergexo/state';
import { upLockPath } from '../../acquire-command-lock.js';

/** The files and directories that MergeXO creates in its data directory. */
const OURS =
  /^(?:agents|attachments|ca-certificates\.pem(?:\.\d+)?|checkouts|claims|eval|handouts|logs|redis|repos|runs|setup|trusted|worker-health\.json(?:\.\d+)?|workers|up\.log|poller-outage\.json|worker-key|secret(?:\..+)?|state\.db(?:[.-].+)?|(?:poller|up)\.lock(?:[.-].+)?)$/;

/**
 * Lists MergeXO's files in the data directory. Refuses a directory without MergeXO's database and one that contains the
 * home directory, because names such as `logs` then belong to somebody else.
 */
export function listData({ config, paths }: Settings, homeDir: string): string[] {
  const { baseDir } = config.runtime;
  if (!existsSync(baseDir)) return [];
  if (isInside(homeDir, baseDir)) throw refuse(`${baseDir} contains your home directory`);
  if (!existsSync(paths.database)) throw refuse(`${baseDir} contains no MergeXO database`);
  checkDatabase(paths.database);
  return readdirSync(baseDir)
    .filter((name) => OURS.test(name))
    .sort()
    .map((name) => join(baseDir, name));
}

const refuse = (reason: string): Failure =>
  new Failure(
    'conflict',
    `MergeXO deletes no data: ${reason}. Delete its files by hand. Nothing was changed.`,
  );

function isInside(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way === '' || !(way.startsWith('..') || way.startsWith('/'));
}

/** Deletes the files while no poller and no `up` runs. A link is deleted, and its target is kept. */
export async function deleteData(settings: Settings, data: readonly string[]): Promise<void> {
  const startedAt = new Date().toISOString();
  const holder = { pid: process.pid, host: hostname(), startedAt, purpose: 'mergexo uninstall' };
  const up = holdLock(upLockPath(settings), holder);
  try {
    const poller = holdLock(settings.paths.lock, holder);
    try {
      // The database goes last, so that an interrupted deletion can be repeated.
      const isDatabase = (path: string): boolean => path === settings.paths.database;
      for (const path of data.filter((one) => !isDatabase(one))) await removeTree(path);
      for (const path of data.filter(isDatabase)) await removeTree(path);
    } finally {
      poller.release();
    }
  } finally {
    up.release();
  }
  for (const path of listLeftLocks(settings)) await removeTree(path);
  const { baseDir } = settings.config.runtime;
  if (existsSync(baseDir) && readdirSync(baseDir).length === 0) rmdirSync(baseDir);
}

/** Releasing a lock can leave its files. */
function listLeftLocks({ paths }: Settings): string[] {
  const directory = dirname(paths.lock);
  return readdirSync(directory)
    .filter((name) => /^(?:poller|up)\.lock/.test(name))
    .map((name) => join(directory, name));
}

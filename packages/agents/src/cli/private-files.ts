import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { removeTree } from '@mergexo/process';

const MAX_BYTES = 1024 * 1024;

/**
 * Creates a real directory instead of following a link: an agent's home is as untrusted as its slot, and may contain
 * links to MergeXO's files. Call this only while no agent runs.
 */
export function ensureDirectory(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) rmSync(path, { force: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/**
 * Removes a path in the agent's home. Moves a directory aside and removes it in the background, because the agent may
 * have put any number of files there.
 */
export function removePath(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    rmSync(path, { force: true });
    return;
  }
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  renameSync(path, aside);
  void removeTree(aside).catch(() => {});
}

/** Reads a regular file of at most 1 MB. Returns undefined for anything else. */
export function readPrivateFile(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
  try {
    const found = fstatSync(file);
    return found.isFile() && found.size <= MAX_BYTES ? readFileSync(file, 'utf8') : undefined;
  } finally {
    closeSync(file);
  }
}

/** Atomically replaces the path with a file that only the worker's user can read. */
export function writePrivateFile(path: string, content: string | Buffer, mode = 0o600): void {
  const staging = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(staging, content, { mode, flag: 'wx' });
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) removePath(path);
    renameSync(staging, path);
  } catch (error) {
    rmSync(staging, { force: true });
    throw error;
  }
}

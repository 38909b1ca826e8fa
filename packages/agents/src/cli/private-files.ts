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

const MAX_BYTES = 1024 * 1024;

/**
 * Creates a real directory instead of following a link: an agent's home is as untrusted as its slot, and may contain
 * links to our files. Call this only while no agent runs.
 */
export function ensureDirectory(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) rmSync(path, { force: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
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

/** Atomically replaces the path with a file that only our user can read. */
export function writePrivateFile(path: string, text: string): void {
  const staging = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(staging, text, { mode: 0o600, flag: 'wx' });
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
      rmSync(path, { recursive: true, force: true });
    renameSync(staging, path);
  } catch (error) {
    rmSync(staging, { force: true });
    throw error;
  }
}

import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '@mergexo/core/basics';

/** Contains no `-`, which separates the client id from the host in the name of the file. */
const CLIENT_ID = /^[A-Za-z\d][A-Za-z\d.]{0,99}$/;
/** More than any private key needs. The space is reserved before GitHub shows the key. */
const RESERVED_BYTES = 16 * 1024;

export type KeyDraft = {
  /**
   * Stores the key. The returned path contains the client id, so that the file and its name hold everything that cannot
   * be fetched again.
   */
  keep(clientId: string, pem: string): string;
  /** Removes the draft, if it is still one. */
  discard(): void;
};

/**
 * Creates the file for a key that GitHub shows only once. Everything that can fail, such as a missing permission or a
 * full disk, fails now. Afterwards the key needs only a write, an fsync and a rename.
 */
export function createKeyDraft(directory: string, host: string): KeyDraft {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const draft = join(directory, `${prefixOf(host)}${process.pid}.new`);
  rmSync(draft, { force: true });
  const file = openSync(draft, 'wx', 0o600);
  writeSync(file, Buffer.alloc(RESERVED_BYTES));
  fsyncSync(file);
  let isKept = false;
  return {
    keep(clientId, pem) {
      const path = keyPathOf(directory, host, clientId);
      const length = writeSync(file, pem, 0);
      ftruncateSync(file, length);
      fsyncSync(file);
      renameSync(draft, path);
      isKept = true;
      syncDirectory(dirname(path));
      return path;
    },
    discard() {
      closeSync(file);
      if (!isKept) rmSync(draft, { force: true });
    },
  };
}

export function keyPathOf(directory: string, host: string, clientId: string): string {
  if (CLIENT_ID.test(clientId)) return join(directory, `${prefixOf(host)}${clientId}.pem`);
  throw new Failure('invalid-data', 'GitHub sent an invalid client id.');
}

/** Finds the keys that an earlier run stored for this host. */
export function findKeys(directory: string, host: string): { clientId: string; path: string }[] {
  const prefix = prefixOf(host);
  return listNames(directory).flatMap((name) => {
    if (!name.startsWith(prefix) || !name.endsWith('.pem')) return [];
    const clientId = name.slice(prefix.length, -'.pem'.length);
    return CLIENT_ID.test(clientId) ? [{ clientId, path: join(directory, name) }] : [];
  });
}

const prefixOf = (host: string): string => `github-app-${host.replaceAll(/[^\w.-]/g, '_')}-`;

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** Makes the new name survive a power failure. */
function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

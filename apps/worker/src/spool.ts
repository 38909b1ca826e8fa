import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Log } from '@mergexo/core/basics';
import type { FreezeMessage } from '@mergexo/core/ledger';
import { LedgerMessage } from '@mergexo/core/ledger';
import { attempt, codeOf, mayBeAlive, referToSelf } from '@mergexo/process';

/** Keeps plans in private files until the poller stores them, so that a crash does not lose an agent's work. */
export type Spool = {
  keep(message: FreezeMessage): Promise<void>;
  drop(message: FreezeMessage): void;
  /** Takes the plans of dead workers in this spool by renaming them, so that exactly one worker gets each file. */
  adoptLeftovers(): FreezeMessage[];
  close(): void;
};

const OWNER = 'owner.json';
/** How often a worker touches its owner file. */
const TOUCH_MS = 5_000;
/**
 * A worker in another container counts as dead after this time, because its process id means nothing here. Sending the
 * plan of a living worker is harmless: the poller acknowledges the same plan twice.
 */
const SILENT_MS = 20_000;
const UNREADABLE =
  'deleted a plan from the spool, because it is damaged or from another MergeXO version; MergeXO asks the agent again';

export function openSpool(root: string, workerId: string, log: Log): Spool {
  const dir = join(root, workerId);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  createDirectory(root, dir);
  const timer = setInterval(() => touch(root, dir), TOUCH_MS).unref();
  const pathOf = ({ turnKey, attempt }: FreezeMessage): string => join(dir, `${turnKey}-${attempt}.json`);

  return {
    async keep(message) {
      const path = pathOf(message);
      // The file is not synced to disk, because it needs to survive only a crash of this process. After a
      // power failure, MergeXO asks the agent again.
      await writeFile(`${path}.new`, JSON.stringify(message), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    drop: (message) => rmSync(pathOf(message), { force: true }),
    adoptLeftovers: () =>
      listDeadWorkers(root, workerId).flatMap((dead) => adoptFrom(join(root, dead), dir, log)),
    // Keeps a directory that still holds a plan. Without its owner file, the next worker sends the plan at once.
    close: () => {
      clearInterval(timer);
      const isEmpty = listPlans(dir).length === 0;
      rmSync(isEmpty ? dir : join(dir, OWNER), { recursive: true, force: true });
    },
  };
}

function createDirectory(root: string, dir: string): void {
  // Creates the directory under an ignored name, because other workers treat a directory without an owner
  // file as a dead worker's.
  const draft = mkdtempSync(join(root, '.new-'));
  const owner = { ...referToSelf(), host: hostname() };
  writeFileSync(join(draft, OWNER), JSON.stringify(owner), { mode: 0o600 });
  renameSync(draft, dir);
}

/**
 * Shows other containers that this worker is alive. While the machine slept, another worker may have taken this worker
 * for dead and removed the directory.
 */
function touch(root: string, dir: string): void {
  try {
    const now = new Date();
    utimesSync(join(dir, OWNER), now, now);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') attempt(() => createDirectory(root, dir));
  }
}

function listDeadWorkers(root: string, self: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .filter((name) => name !== self && !isOwnerAlive(join(root, name, OWNER)));
}

function isOwnerAlive(path: string): boolean {
  try {
    const { pid, identity, host } = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof host === 'string' && host !== hostname())
      return Math.abs(Date.now() - statSync(path).mtimeMs) < SILENT_MS;
    return typeof pid === 'number' && mayBeAlive({ pid, identity });
  } catch {
    return false;
  }
}

/** Returns an empty list if another starting worker adopted the directory first. */
function listPlans(dir: string): string[] {
  try {
    return readdirSync(dir).filter((entry) => /^[0-9a-f]{64}-\d+\.json$/.test(entry));
  } catch {
    return [];
  }
}

function adoptFrom(from: string, to: string, log: Log): FreezeMessage[] {
  const adopted: FreezeMessage[] = [];
  for (const name of listPlans(from)) {
    try {
      renameSync(join(from, name), join(to, name));
    } catch {
      continue;
    }
    const message = readMessage(join(to, name));
    if (message !== undefined) adopted.push(message);
    else {
      rmSync(join(to, name));
      log.warn({ file: join(from, name) }, UNREADABLE);
    }
  }
  rmSync(from, { recursive: true, force: true });
  return adopted;
}

/** Returns undefined for a damaged file, and for a plan from another version, such as one without proofs. */
function readMessage(path: string): FreezeMessage | undefined {
  try {
    const { data } = LedgerMessage.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return data?.kind === 'freeze' ? data : undefined;
  } catch {
    return undefined;
  }
}

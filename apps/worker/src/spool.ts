import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FreezeMessage } from '@mergexo/core/ledger';
import { LedgerMessage } from '@mergexo/core/ledger';
import { mayBeAlive, referToSelf } from '@mergexo/process';

/** Plans that the poller has not acknowledged yet, on disk and private, so that a finished agent is never asked again. */
export type Spool = {
  keep(message: FreezeMessage): Promise<void>;
  drop(message: FreezeMessage): void;
  /** What dead workers of this machine left behind. Taken by renaming: of several takers one gets each file. */
  adoptLeftovers(): FreezeMessage[];
  close(): void;
};

const OWNER = 'owner.json';

export function openSpool(root: string, workerId: string): Spool {
  const dir = join(root, workerId);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  // Made under a name that nobody looks at: a directory without an owner would be taken for a dead worker's.
  const draft = mkdtempSync(join(root, '.new-'));
  writeFileSync(join(draft, OWNER), JSON.stringify(referToSelf()), { mode: 0o600 });
  renameSync(draft, dir);
  const pathOf = ({ turnKey, attempt }: FreezeMessage): string => join(dir, `${turnKey}-${attempt}.json`);

  return {
    async keep(message) {
      const path = pathOf(message);
      // Not synced: it must outlive this process, not a power cut, after which the agent may be asked again.
      await writeFile(`${path}.new`, JSON.stringify(message), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    drop: (message) => rmSync(pathOf(message), { force: true }),
    adoptLeftovers: () => listDeadWorkers(root, workerId).flatMap((dead) => adoptFrom(join(root, dead), dir)),
    // With a plan still in it the directory stays for whoever starts next.
    close: () => {
      if (readdirSync(dir).every((name) => name === OWNER)) rmSync(dir, { recursive: true, force: true });
    },
  };
}

function listDeadWorkers(root: string, self: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .filter((name) => name !== self && !isOwnerAlive(join(root, name, OWNER)));
}

function isOwnerAlive(path: string): boolean {
  try {
    const { pid, identity } = JSON.parse(readFileSync(path, 'utf8'));
    return typeof pid === 'number' && mayBeAlive({ pid, identity });
  } catch {
    return false;
  }
}

/** Another starter may have adopted the directory meanwhile. */
function listPlans(dir: string): string[] {
  try {
    return readdirSync(dir).filter((entry) => /^[0-9a-f]{64}-\d+\.json$/.test(entry));
  } catch {
    return [];
  }
}

function adoptFrom(from: string, to: string): FreezeMessage[] {
  const adopted: FreezeMessage[] = [];
  for (const name of listPlans(from)) {
    try {
      renameSync(join(from, name), join(to, name));
    } catch {
      continue;
    }
    const message = readMessage(join(to, name));
    if (message === undefined) rmSync(join(to, name));
    else adopted.push(message);
  }
  rmSync(from, { recursive: true, force: true });
  return adopted;
}

/** Undefined for what a crash or a stranger left: a plan is written whole or not at all. */
function readMessage(path: string): FreezeMessage | undefined {
  try {
    const { data } = LedgerMessage.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return data?.kind === 'freeze' ? data : undefined;
  } catch {
    return undefined;
  }
}

import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FreezeMessage } from '@mergexo/core';
import { LedgerMessage } from '@mergexo/core';
import { isSameProcess, readProcessIdentity } from './process-identity.js';

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
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const owner = { pid: process.pid, identity: readProcessIdentity(process.pid) };
  writeFileSync(join(dir, OWNER), JSON.stringify(owner), { mode: 0o600 });
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
  return readdirSync(root).filter((name) => name !== self && !isOwnerAlive(join(root, name, OWNER)));
}

function isOwnerAlive(path: string): boolean {
  try {
    const { pid, identity } = JSON.parse(readFileSync(path, 'utf8'));
    return typeof pid === 'number' && isSameProcess(pid, identity);
  } catch {
    return false;
  }
}

function adoptFrom(from: string, to: string): FreezeMessage[] {
  const adopted: FreezeMessage[] = [];
  for (const name of readdirSync(from).filter((entry) => /^[0-9a-f]{64}-\d+\.json$/.test(entry))) {
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

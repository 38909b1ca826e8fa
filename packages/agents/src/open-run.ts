import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from './remove-tree.js';
import { writeRunRecord } from './run-record.js';

export type OpenRun = {
  runId: string;
  /** Private to the run and gone with it. */
  tmp: string;
  recordLeader(pid: number): void;
  close(): Promise<void>;
};

/** The record is written before anything is started: a worker that dies at any point leaves no nameless orphan. */
export function openRun(runsDir: string): OpenRun {
  const runId = randomBytes(16).toString('hex');
  const directory = join(runsDir, runId);
  const tmp = join(directory, 'tmp');
  // It appears complete: another worker that looks for orphans must see whose it is.
  const staging = `${directory}.new`;
  writeRunRecord(staging, null);
  mkdirSync(join(staging, 'tmp'), { mode: 0o700 });
  renameSync(staging, directory);
  return {
    runId,
    tmp,
    recordLeader: (pid) => writeRunRecord(directory, pid),
    close: async () => void (await removeTree(directory)),
  };
}

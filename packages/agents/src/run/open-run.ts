import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessRef, referToSelf, removeTree } from '@mergexo/process';
import { STAGING, writeRunRecord } from './run-record.js';

export type OpenRun = {
  runId: string;
  /** Private to the run, and removed with it. */
  tmp: string;
  recordLeader(leader: ProcessRef | null): void;
  close(): Promise<void>;
  /** For a run that may still have processes: marks it as an orphan although its worker lives. */
  abandon(): void;
};

/** Writes the record before any process starts, so that every orphan of a dead worker can be found. */
export function openRun(runsDir: string): OpenRun {
  const runId = randomBytes(16).toString('hex');
  const directory = join(runsDir, runId);
  const tmp = join(directory, 'tmp');
  const owner = referToSelf();
  let leader: ProcessRef | null = null;
  // The rename is atomic: other workers never see a run without its owner.
  const staging = `${directory}${STAGING}`;
  writeRunRecord(staging, { owner, leader });
  mkdirSync(join(staging, 'tmp'), { mode: 0o700 });
  renameSync(staging, directory);
  return {
    runId,
    tmp,
    recordLeader: (found) => {
      leader = found;
      writeRunRecord(directory, { owner, leader });
    },
    close: () => removeTree(directory).catch(() => {}),
    abandon: () => writeRunRecord(directory, { owner: null, leader }),
  };
}

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isSameProcess, readProcessIdentity } from './process-identity.js';

const ProcessRef = z.strictObject({ pid: z.int().min(1), identity: z.string().min(1) });
type ProcessRef = z.infer<typeof ProcessRef>;

/** What a later worker must know to end a run whose own worker is gone. */
export const RunRecord = z.strictObject({
  owner: ProcessRef,
  /** null until the program is started; the marker in the environment identifies the run even then. */
  leader: ProcessRef.nullable(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** Each run has a directory named after it: the record, and the private temporary directory. */
const RECORD = 'run.json';

export function writeRunRecord(directory: string, leaderPid: number | null): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const owner = refer(process.pid);
  // Without a name the run would look like an orphan to every other worker.
  if (owner === null) throw new Error('cannot read when this process was started; is `ps` missing?');
  const record = { owner, leader: leaderPid === null ? null : refer(leaderPid) };
  const path = join(directory, RECORD);
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export type FoundRun = { runId: string; directory: string; record: RunRecord | undefined };

/** Runs that were not closed. A record that cannot be read still names its run by its directory. */
export function listRuns(runsDir: string): FoundRun[] {
  return readNames(runsDir)
    .filter((name) => /^[0-9a-f]{32}$/.test(name))
    .map((runId) => {
      const directory = join(runsDir, runId);
      return { runId, directory, record: readRecord(join(directory, RECORD)) };
    });
}

export function isAlive({ pid, identity }: ProcessRef): boolean {
  return isSameProcess(pid, identity);
}

function refer(pid: number): ProcessRef | null {
  const identity = readProcessIdentity(pid);
  return identity === undefined ? null : { pid, identity };
}

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Nothing was ever run here.
    return [];
  }
}

function readRecord(path: string): RunRecord | undefined {
  try {
    return RunRecord.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

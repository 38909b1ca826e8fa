import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, type ProcessRef, referToSelf, removeTree } from '@mergexo/process';
import { z } from 'zod';

const ProcessRefSchema = z.strictObject({ pid: z.int().min(1), identity: z.string().min(1) });

/** The data that a later worker needs to end the run of a dead worker. */
const RunRecord = z.strictObject({
  /** Null if the worker could not end the run and abandoned it. */
  owner: ProcessRefSchema.nullable(),
  /** Null until the program is started. Until then, only the marker in the environment identifies the run. */
  leader: ProcessRefSchema.nullable(),
});
type RunRecord = z.infer<typeof RunRecord>;

/** The record's file name. Each run has a directory, named by its id, with the record and a temporary directory. */
const RECORD = 'run.json';
/** Suffix of a directory that is being created. */
export const STAGING = '.new';

export function writeRunRecord(directory: string, record: RunRecord): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, RECORD);
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export type FoundRun = { runId: string; directory: string; record: RunRecord | undefined };

/** Lists runs that were not closed. If the record is missing or broken, the directory still names the run. */
export function listRuns(runsDir: string): FoundRun[] {
  return readNames(runsDir)
    .filter((name) => /^[0-9a-f]{32}$/.test(name))
    .map((runId) => find(runsDir, runId));
}

/** Lists runs that never started. Skips a directory without a record, because a living worker may still write it. */
export function listUnbegunRuns(runsDir: string): FoundRun[] {
  return readNames(runsDir)
    .filter((name) => /^[0-9a-f]{32}\.new$/.test(name))
    .map((name) => find(runsDir, name))
    .filter(({ record }) => record !== undefined);
}

function find(runsDir: string, runId: string): FoundRun {
  const directory = join(runsDir, runId);
  return { runId, directory, record: readRecord(join(directory, RECORD)) };
}

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    // The directory does not exist before the first run.
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Returns undefined for a missing or broken record. Throws if reading fails, because the owner may be alive. */
function readRecord(path: string): RunRecord | undefined {
  try {
    return RunRecord.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export type OpenRun = ReturnType<typeof openRun>;

/** Writes the record before any process starts, so that every orphan of a dead worker can be found. */
export function openRun(runsDir: string) {
  const runId = randomBytes(16).toString('hex');
  const directory = join(runsDir, runId);
  const tmp = join(directory, 'tmp');
  const owner = referToSelf();
  let leader: ProcessRef | null = null;
  // The rename is atomic, so other workers never see a run without its owner.
  const staging = `${directory}${STAGING}`;
  writeRunRecord(staging, { owner, leader });
  mkdirSync(join(staging, 'tmp'), { mode: 0o700 });
  renameSync(staging, directory);
  return {
    runId,
    directory,
    /** A temporary directory that is private to the run and removed with it. */
    tmp,
    recordLeader: (found: ProcessRef | null): void => {
      leader = found;
      writeRunRecord(directory, { owner, leader });
    },
    close: () => removeTree(directory).catch(() => {}),
    /** Marks a run that may still have processes as an orphan, even though its worker is alive. */
    abandon: () => writeRunRecord(directory, { owner: null, leader }),
  };
}

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '@mergexo/process';
import { z } from 'zod';

const ProcessRefSchema = z.strictObject({ pid: z.int().min(1), identity: z.string().min(1) });

/** Lets a later worker end a run whose own worker died. */
const RunRecord = z.strictObject({
  /** null: the worker could not end the run and abandoned it. */
  owner: ProcessRefSchema.nullable(),
  /** null until the program is started; the marker in the environment identifies the run even then. */
  leader: ProcessRefSchema.nullable(),
});
type RunRecord = z.infer<typeof RunRecord>;

/** Each run has a directory, named by its id, with the record and a temporary directory. */
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

/** Runs that were not closed. If the record is missing or broken, the directory still names the run. */
export function listRuns(runsDir: string): FoundRun[] {
  return readNames(runsDir)
    .filter((name) => /^[0-9a-f]{32}$/.test(name))
    .map((runId) => find(runsDir, runId));
}

/** Runs that never started. A directory without a record is skipped: a living worker may be about to write it. */
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
    // No run was ever started here.
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Throws if the record cannot be read: its owner may be alive. */
function readRecord(path: string): RunRecord | undefined {
  try {
    return RunRecord.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

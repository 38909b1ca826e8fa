import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '@mergexo/process';
import { z } from 'zod';

const ProcessRefSchema = z.strictObject({ pid: z.int().min(1), identity: z.string().min(1) });

/** What a later worker must know to end a run whose own worker is gone. */
const RunRecord = z.strictObject({
  /** null: its worker could not end it and has turned to other work. */
  owner: ProcessRefSchema.nullable(),
  /** null until the program is started; the marker in the environment identifies the run even then. */
  leader: ProcessRefSchema.nullable(),
});
type RunRecord = z.infer<typeof RunRecord>;

/** Each run has a directory named after it: the record, and the private temporary directory. */
const RECORD = 'run.json';
/** A directory that is being made has this behind its name. */
export const STAGING = '.new';

export function writeRunRecord(directory: string, record: RunRecord): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, RECORD);
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export type FoundRun = { runId: string; directory: string; record: RunRecord | undefined };

/** Runs that were not closed. A record that is missing or broken still names its run by its directory. */
export function listRuns(runsDir: string): FoundRun[] {
  return readNames(runsDir)
    .filter((name) => /^[0-9a-f]{32}$/.test(name))
    .map((runId) => find(runsDir, runId));
}

/** Runs that were never begun. One without a record may be a living worker's that is about to write it. */
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
    // Nothing was ever run here.
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Not being able to read it says nothing about its owner, so that is thrown. */
function readRecord(path: string): RunRecord | undefined {
  try {
    return RunRecord.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@mergexo/core/basics';
import { EvalRecord, EvalScore, type EvalSubject, type Replay } from '@mergexo/core/eval';

/** Identifies one measured replay. `without` is null for the complete input. */
export type ReplayKey = { prNumber: number; replay: Replay; without: string | null };

/** What a killed command may leave behind before it writes `eval.json`. */
const OWN = /^(?:results|work|eval\.lock.*)$/;

/** An interface, so that inferred types show the name `EvalDirectory`. */
export interface EvalDirectory extends ReturnType<typeof openEvalDirectory> {}

/**
 * Opens a directory with one file per result, so that a killed run loses at most the running replay. The
 * files contain no text of the replayed pull requests, so even an unsandboxed agent cannot find the solution.
 */
export function openEvalDirectory(dir: string, subject: EvalSubject) {
  const results = join(dir, 'results');
  const recordPath = join(dir, 'eval.json');
  if (!existsSync(recordPath) && existsSync(dir) && readdirSync(dir).some((name) => !OWN.test(name)))
    throw new Failure('conflict', `${dir} contains other files. Choose an empty directory with --dir.`);
  mkdirSync(results, { recursive: true, mode: 0o700 });
  const read = (): EvalRecord =>
    existsSync(recordPath) ? parse(EvalRecord, recordPath) : { subject, pulls: [] };
  refuseOtherSubject(dir, read().subject, subject);
  const pathOf = ({ prNumber, replay, without }: ReplayKey): string =>
    join(results, `${prNumber}-${replay}${without === null ? '' : `-without-${without}`}.json`);
  return {
    workDir: join(dir, 'work', String(process.pid)),
    lockPath: join(dir, 'eval.lock'),
    readPulls: (): number[] => read().pulls,
    savePulls: (pulls: number[]): void => writeJson(recordPath, { subject, pulls } satisfies EvalRecord),
    readScore(key: ReplayKey): EvalScore | undefined {
      const path = pathOf(key);
      return existsSync(path) ? parse(EvalScore, path) : undefined;
    },
    saveScore: (score: EvalScore): void => writeJson(pathOf(score), score),
  };
}

function refuseOtherSubject(dir: string, measured: EvalSubject, subject: EvalSubject): void {
  if (JSON.stringify(measured) === JSON.stringify(subject)) return;
  const describe = ({ repo, agent, reviewAgent }: EvalSubject): string =>
    `${repo} with ${agent}, reviewed by ${reviewAgent}`;
  throw new Failure(
    'conflict',
    `${dir} has results of ${describe(measured)}, but the config now says ${describe(subject)}. Choose another directory with --dir.`,
  );
}

/** A schema, without a dependency on its library. */
type Schema<T> = { safeParse(value: unknown): { data?: T | undefined } };

function parse<T>(schema: Schema<T>, path: string): T {
  const damaged = `${path} is damaged. Delete the file and run \`eval\` again.`;
  try {
    const { data } = schema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (data !== undefined) return data;
  } catch (error) {
    throw new Failure('invalid-data', damaged, { cause: error });
  }
  throw new Failure('invalid-data', damaged);
}

/** Replaces the file atomically, so that a killed process leaves either the old or the new content. */
function writeJson(path: string, value: unknown): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clip, collectQuote } from '../output/printable.js';
import { createOutputRedact } from '../sandbox/environment.js';
import { type ConfinedJob, type Host, runConfined } from './run-confined.js';
import { openRun } from './run-record.js';

/** Whether a second sandbox works inside MergeXO's sandbox on this machine. */
export type Nesting = { kind: 'works' } | { kind: 'unusable'; reason: string };

type Trial = Pick<ConfinedJob, 'argv' | 'env' | 'readOnlyPaths'>;

const TRIAL_MS = 20_000;
const MAX_REASON = 300;

/**
 * Runs a command that creates a sandbox inside MergeXO's. Uses an empty directory and an empty home, so that
 * files from a repository or an earlier turn cannot affect how later turns are confined.
 */
export async function tryNesting(host: Host, build: (home: string) => Trial): Promise<Nesting> {
  // The run owns the empty directories: a later worker removes them if this one is killed.
  const run = openRun(host.runsDir);
  try {
    return await runTrial({ ...host, passEnv: [] }, run.tmp, build);
  } catch (error) {
    return { kind: 'unusable', reason: clip(String(error), MAX_REASON) };
  } finally {
    await run.close();
  }
}

async function runTrial(host: Host, directory: string, build: (home: string) => Trial): Promise<Nesting> {
  const [cwd, home] = [join(directory, 'slot'), join(directory, 'home')];
  for (const path of [cwd, home]) mkdirSync(path, { mode: 0o700 });
  const output = collectQuote(MAX_REASON, createOutputRedact(host));
  const end = await runConfined(host, {
    ...build(home),
    cwd,
    home,
    stdin: '',
    stdout: () => true,
    stderr: output.sink,
    limits: { wallMs: TRIAL_MS },
    signal: new AbortController().signal,
    network: 'none',
    nests: true,
  });
  if (end.kind === 'exited' && end.code === 0) return { kind: 'works' };
  const how = end.kind === 'exited' ? `exit code ${end.code}` : end.kind;
  return { kind: 'unusable', reason: output.quote().trim().split('\n').at(-1) || how };
}

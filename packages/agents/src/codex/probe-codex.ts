import { join } from 'node:path';
import { findProgram, type Program } from '../cli/find-program.js';
import { ensureDirectory } from '../cli/private-files.js';
import { clip, collectQuote } from '../output/printable.js';
import { type Host, runConfined } from '../run/run-confined.js';
import { openRun } from '../run/run-record.js';
import { createOutputRedact } from '../sandbox/environment.js';
import { CODEX } from './codex-cli.js';

/** Whether Codex's own sandbox works on this machine. */
export type CodexProbe = { kind: 'works' } | { kind: 'unusable'; reason: string };

const PROBE_MS = 20_000;
const MAX_REASON = 300;

/**
 * Tries Codex's own sandbox inside ours. Returns undefined if Codex is not installed. Uses an empty directory and an
 * empty home, because files of a repository or of an earlier turn must not decide how later turns are confined.
 */
export async function probeCodex(host: Host, binary: string): Promise<CodexProbe | undefined> {
  const program = findProgram(binary, host.env['PATH'] ?? '', CODEX.layout);
  if (program === undefined) return undefined;
  try {
    return await tryOwnSandbox({ ...host, passEnv: [] }, program);
  } catch (error) {
    return { kind: 'unusable', reason: clip(String(error), MAX_REASON) };
  }
}

async function tryOwnSandbox(host: Host, program: Program): Promise<CodexProbe> {
  // The run owns the empty directories: a later worker removes them if this one is killed.
  const run = openRun(host.runsDir);
  try {
    return await runProbe(host, program, run.tmp);
  } finally {
    await run.close();
  }
}

async function runProbe(host: Host, program: Program, directory: string): Promise<CodexProbe> {
  const [cwd, home] = [join(directory, 'slot'), join(directory, 'home')];
  const cliHome = join(home, CODEX.name);
  for (const path of [cwd, cliHome]) ensureDirectory(path);
  const output = collectQuote(MAX_REASON, createOutputRedact(host));
  const end = await runConfined(host, {
    argv: [program.path, 'sandbox', '--config', 'sandbox_mode="workspace-write"', '--', 'true'],
    cwd,
    home,
    stdin: '',
    stdout: () => true,
    stderr: output.sink,
    limits: { wallMs: PROBE_MS },
    signal: new AbortController().signal,
    network: 'none',
    nests: true,
    env: { CODEX_HOME: cliHome },
    readOnlyPaths: program.readOnlyPaths,
  });
  if (end.kind === 'exited' && end.code === 0) return { kind: 'works' };
  const how = end.kind === 'exited' ? `exit code ${end.code}` : end.kind;
  return { kind: 'unusable', reason: output.quote().trim().split('\n').at(-1) || how };
}

import { realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Redact } from '@mergexo/core/text';
import { isExecutableFile } from '@mergexo/process';
import { type Network, showTarget } from '../network/host-rule.js';
import type { Sink } from '../output/bounded-output.js';
import { collectQuote } from '../output/printable.js';
import { splitLines } from '../output/split-lines.js';
import { isInside } from '../sandbox/bubblewrap.js';
import { createOutputRedact } from '../sandbox/environment.js';
import type { OuterSandbox } from '../sandbox/sandbox.js';
import { explainExceeded } from './resources.js';
import { type Host, runConfined } from './run-confined.js';
import { describeSurvivors } from './run-process.js';

const MAX_OUTPUT = 12_000;

type ProgramJob = {
  /** The value of `required_tests` or `setup`: the path of a program in the repository. */
  path: string;
  cwd: string;
  home: string;
  timeoutMs: number;
  signal: AbortSignal;
  readOnlyPaths?: readonly string[];
  /** `all` by default, because these programs usually fetch dependencies. */
  network?: Network;
  onRefusedHost?: (host: string) => void;
  /** Called with each line of the output, for people who watch the turn. */
  onLine?: (line: string, redact: Redact) => void;
};

export type ProgramRun =
  | { kind: 'passed' }
  | { kind: 'failed'; output: string }
  /** The program is missing or not executable, possibly because the agent changed it. */
  | { kind: 'absent'; reason: string }
  | { kind: 'timed-out'; output: string }
  | { kind: 'exceeded'; reason: string; output: string }
  | { kind: 'aborted'; reason: string };

/** Runs the tests or setup in a sandbox that is not the agent's own, because the agent may have written their code. */
export async function runRepositoryProgram(
  host: Host & { sandbox: OuterSandbox },
  job: ProgramJob,
): Promise<ProgramRun> {
  const { cwd, home, signal, timeoutMs, network = 'all', readOnlyPaths = [] } = job;
  const found = findProgram(cwd, job.path);
  if (found.kind === 'absent') return found;
  const redact = createOutputRedact(host);
  const output = collectQuote(MAX_OUTPUT, redact);
  const lines = splitLines((line) => job.onLine?.(line, redact));
  const collect: Sink = (chunk) => {
    lines.read(chunk);
    return output.sink(chunk);
  };
  // Passes no variables, because the output is quoted on GitHub and tests do not need the agent's keys.
  const end = await runConfined(
    { ...host, passEnv: [] },
    {
      argv: [found.program],
      cwd,
      home,
      stdin: '',
      stdout: collect,
      stderr: collect,
      limits: { wallMs: timeoutMs },
      signal,
      network,
      onRefusedHost: (target) => job.onRefusedHost?.(showTarget(redact(target))),
      readOnlyPaths,
    },
  );
  lines.end();
  if (end.survivors.length > 0) return { kind: 'aborted', reason: describeSurvivors(end.survivors) };
  switch (end.kind) {
    case 'exited':
      return end.code === 0 ? { kind: 'passed' } : failed(`exit code ${end.code}`, output.quote());
    case 'timed-out':
      return { kind: 'timed-out', output: output.quote() };
    case 'exceeded':
      return { kind: 'exceeded', reason: explainExceeded(end), output: output.quote() };
    case 'aborted':
      return { kind: 'aborted', reason: end.reason };
    case 'not-started':
      return end.fault === 'program'
        ? { kind: 'absent', reason: end.reason }
        : { kind: 'aborted', reason: [end.reason, output.quote().trim()].filter(Boolean).join(': ') };
    default:
      return failed(end.kind, output.quote());
  }
}

/** Explains why a program cannot be started in this checkout; undefined if it can. */
export function explainProgram(cwd: string, path: string): string | undefined {
  const found = findProgram(cwd, path);
  return found.kind === 'absent' ? found.reason : undefined;
}

/** Does not follow links inside the slot, because they may point outside the slot. */
function findProgram(
  cwd: string,
  path: string,
): { kind: 'found'; program: string } | { kind: 'absent'; reason: string } {
  const absent = (reason: string) => ({ kind: 'absent', reason: `${path} ${reason}` }) as const;
  // The slot's own path may contain links that the operator made, but the path below the slot must contain none.
  const program = join(cwd, path);
  if (isAbsolute(path) || !isInside(program, cwd)) return absent('is not inside the repository');
  try {
    if (realpathSync(program) !== join(realpathSync(cwd), path)) {
      return absent('is reached through a symbolic link');
    }
  } catch {
    return absent('does not exist');
  }
  return isExecutableFile(program) ? { kind: 'found', program } : absent('is not an executable file');
}

function failed(exit: string, output: string): ProgramRun {
  const text = output.trim();
  return { kind: 'failed', output: text === '' ? `no output, ${exit}` : text };
}

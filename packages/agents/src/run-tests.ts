import { realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { collectTail } from './bounded-output.js';
import { isInside } from './bubblewrap.js';
import { isExecutableFile } from './find-executable.js';
import { type Host, runConfined } from './run-confined.js';
import type { OuterSandbox } from './sandbox.js';

const MAX_OUTPUT = 12_000;

export type TestsJob = {
  /** `required_tests`: the path of a program in the repository. */
  path: string;
  cwd: string;
  home: string;
  timeoutMs: number;
  signal: AbortSignal;
  readOnlyPaths?: readonly string[];
  /** Dependencies are usually fetched by the tests themselves; switch it off where they are not. */
  network?: boolean;
};

export type TestsRun =
  | { kind: 'passed' }
  | { kind: 'failed'; output: string }
  /** There is nothing that could be run; also when the agent made it so. */
  | { kind: 'absent'; reason: string }
  | { kind: 'timed-out'; output: string }
  | { kind: 'aborted'; reason: string };

/** The tests are as hostile as the agent that may have written them, so they need a sandbox that is not the agent's own. */
export async function runRequiredTests(
  host: Host & { sandbox: OuterSandbox },
  job: TestsJob,
): Promise<TestsRun> {
  const { cwd, home, signal, timeoutMs, network = true, readOnlyPaths = [] } = job;
  const found = findProgram(cwd, job.path);
  if (found.kind === 'absent') return found;
  const output = collectTail(MAX_OUTPUT);
  const end = await runConfined(host, {
    argv: [found.program],
    cwd,
    home,
    stdin: '',
    stdout: output.sink,
    stderr: output.sink,
    limits: { wallMs: timeoutMs },
    signal,
    network,
    readOnlyPaths,
  });
  switch (end.kind) {
    case 'exited':
      return end.code === 0 ? { kind: 'passed' } : failed(`exit code ${end.code}`, output.text());
    case 'timed-out':
      return { kind: 'timed-out', output: output.text() };
    case 'aborted':
      return { kind: 'aborted', reason: end.reason };
    case 'not-started':
      return { kind: 'absent', reason: end.reason };
    default:
      return failed(end.kind, output.text());
  }
}

/** Links are not followed: they may lead out of the slot. */
function findProgram(
  cwd: string,
  path: string,
): { kind: 'found'; program: string } | { kind: 'absent'; reason: string } {
  const absent = (reason: string) => ({ kind: 'absent', reason: `${path} ${reason}` }) as const;
  const program = join(realpathSync(cwd), path);
  if (isAbsolute(path) || !isInside(program, realpathSync(cwd)))
    return absent('is not inside the repository');
  try {
    if (realpathSync(program) !== program) return absent('is reached through a symbolic link');
  } catch {
    return absent('does not exist');
  }
  return isExecutableFile(program) ? { kind: 'found', program } : absent('is not an executable file');
}

function failed(how: string, output: string): TestsRun {
  const text = output.trim();
  return { kind: 'failed', output: text === '' ? `no output, ${how}` : text };
}

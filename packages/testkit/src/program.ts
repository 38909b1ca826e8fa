import { type ChildProcess, spawn } from 'node:child_process';
import { NODE_ARGS } from '@mergexo/process';
import { eventually, GiveUpWhen } from './eventually.js';

export type Program = {
  child: ChildProcess;
  pid: number;
  output(): string;
  /** Resolves with the exit code, or with null if a signal ended the program. */
  exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
};

/** Starts a compiled script as a child process and collects its output. */
export function startProgram(
  script: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Program {
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--no-warnings', ...NODE_ARGS, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, ...env },
  });
  const chunks: string[] = [];
  child.stdout.on('data', (chunk) => chunks.push(String(chunk)));
  child.stderr.on('data', (chunk) => chunks.push(String(chunk)));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    child,
    pid: child.pid ?? 0,
    output: () => chunks.join(''),
    exited,
    kill: (signal) => void child.kill(signal),
  };
}

/** Waits until the program prints the text. Fails at once if the program exits first. */
export function untilPrinted(program: Program, text: string | RegExp): Promise<Program> {
  return eventually(() => {
    const output = program.output();
    if (typeof text === 'string' ? output.includes(text) : text.test(output)) return program;
    throw new GiveUpWhen(program.child.exitCode !== null, `not ready:\n${output}`);
  });
}

/** Sends SIGKILL to all programs and waits until they have exited. */
export async function killPrograms(programs: readonly Program[]): Promise<void> {
  for (const program of programs) program.kill('SIGKILL');
  await Promise.all(programs.map(({ exited }) => exited));
}

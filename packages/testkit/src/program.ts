import { type ChildProcess, spawn } from 'node:child_process';

export type Program = {
  child: ChildProcess;
  pid: number;
  output(): string;
  /** Waits for the exit; null when a signal ended it. */
  exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
};

/** Starts a compiled script as a process of its own and keeps what it prints. */
export function startProgram(
  script: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Program {
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--no-warnings', script, ...args], {
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

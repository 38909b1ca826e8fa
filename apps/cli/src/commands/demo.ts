import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type DemoOptions = { serve: boolean; fast?: boolean; stepTimeout?: string; json?: boolean };

const PROGRAM = fileURLToPath(new URL('../../../demo/dist/main.js', import.meta.url));

/** Runs the demo as a separate program with this terminal, and exits with its code. */
export async function demo(options: DemoOptions): Promise<void> {
  const args = [
    ...(options.serve ? [] : ['--no-serve']),
    ...(options.fast ? ['--fast'] : []),
    ...(options.stepTimeout === undefined ? [] : ['--step-timeout', options.stepTimeout]),
    ...(options.json ? ['--json'] : []),
  ];
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, ...args], { stdio: 'inherit' });
  // Forwards signals to the child. A terminal signals both processes, but `kill` signals only this one.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void child.kill(signal));
  const [code] = await once(child, 'exit');
  process.exitCode = typeof code === 'number' ? code : 1;
}

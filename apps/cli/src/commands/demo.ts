import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type DemoOptions = { serve: boolean; fast?: boolean; patience?: string; json?: boolean };

const PROGRAM = fileURLToPath(new URL('../../../demo/dist/main.js', import.meta.url));

/** A program of its own, which brings its own GitHub; it gets the terminal, and its end is ours. */
export async function demo(options: DemoOptions): Promise<void> {
  const args = [
    ...(options.serve ? [] : ['--no-serve']),
    ...(options.fast ? ['--fast'] : []),
    ...(options.patience === undefined ? [] : ['--patience', options.patience]),
    ...(options.json ? ['--json'] : []),
  ];
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, ...args], { stdio: 'inherit' });
  // The terminal sends its signal to both; whoever kills only us means both.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void child.kill(signal));
  const [code] = await once(child, 'exit');
  process.exitCode = typeof code === 'number' ? code : 1;
}

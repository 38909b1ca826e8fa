import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Failure } from '@mergexo/core/basics';
import type { Context } from '../../context.js';

type Order<Step> = { args: readonly string[]; env: Context['env']; onStep: (step: Step) => void };

/**
 * Runs a program of the poller that prints its steps, one JSON value per line. The program ends with this process. If it
 * fails, its stderr is the error message.
 */
export async function runPollerProgram<Step>(
  program: string,
  { args, env, onStep }: Order<Step>,
): Promise<void> {
  const path = fileURLToPath(new URL(`../../../../poller/dist/bin/${program}.js`, import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', path, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...env },
  });
  const exited = once(child, 'exit');
  const complaint = text(child.stderr);
  child.stdin.on('error', () => {});
  try {
    for await (const line of createInterface({ input: child.stdout })) onStep(JSON.parse(line));
    await exited;
  } finally {
    child.kill();
  }
  if (child.exitCode === 0) return;
  const reason = (await complaint).trim().slice(-1_000);
  throw new Failure('unavailable', reason || `${program} exited with ${child.signalCode ?? child.exitCode}.`);
}

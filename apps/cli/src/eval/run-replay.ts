import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Failure } from '@mergexo/core/basics';
import type { EvalCase, EvalScore } from '@mergexo/core/eval';
import type { Context } from '../context.js';
import type { ReplayKey } from './eval-directory.js';

/** The program is part of the worker, because only the worker runs git and agents. */
const PROGRAM = fileURLToPath(new URL('../../../worker/dist/eval/replay-main.js', import.meta.url));

export type ReplayOrder = Omit<ReplayKey, 'prNumber'> & {
  evalCase: EvalCase;
  workDir: string;
  configPath: string;
  env: Context['env'];
};

/** A score, and the ways in which the agent could have found the merged pull request. */
export type Replayed = { score: EvalScore; leaks: string[] };

/** Variables that a replay does not need. */
const WITHHELD = [
  'MERGEXO_SECRET',
  'MERGEXO_REVIEWER_TOKEN',
  'MERGEXO_DASHBOARD_PASSWORD',
  'MERGEXO_WORKER_KEY',
];

/** Runs one replay in the worker's replay program. The program stops when this process ends, even after a SIGKILL. */
export async function runReplay(
  { configPath, env, ...order }: ReplayOrder,
  signal: AbortSignal,
): Promise<Replayed> {
  const childEnv = Object.fromEntries(Object.entries(env).filter(([name]) => !WITHHELD.includes(name)));
  const child = spawn(process.execPath, ['--no-warnings', PROGRAM, '--config', configPath], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: childEnv,
    // Ctrl-C reaches only this process, which then stops the program and waits for it.
    detached: true,
  });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  try {
    child.stdin.on('error', () => {});
    child.stdin.write(`${JSON.stringify(order)}\n`);
    const [printed, complaint] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      child.exitCode === null ? once(child, 'exit') : undefined,
    ]);
    if (child.exitCode === 0) return JSON.parse(printed);
    const reason = complaint.trim().split('\n').slice(-5).join('\n').slice(-1_000);
    throw new Failure(
      'unavailable',
      reason || `The replay exited with ${child.signalCode ?? child.exitCode}.`,
    );
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

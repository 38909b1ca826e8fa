import { spawn } from 'node:child_process';
import { sendSignal } from '@mergexo/process';
import { failed, SEND_MS, type Sent } from './channel.js';

export type Notifier = {
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  limitMs?: number;
};

/** Characters of standard error that are kept for the reason of a failure. */
const KEPT = 1_000;

/** Starts a program without a shell, and kills it and its process group after the time limit. */
export function runNotifier(
  { argv: [program = '', ...args], env, limitMs = SEND_MS }: Notifier,
  input: string,
  signal?: AbortSignal,
): Promise<Sent> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { ...env },
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
    });
    let said = '';
    const end = (sent: Sent): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      // A process that the program left behind must not keep the pipe open.
      child.stderr.destroy();
      resolve(sent);
    };
    const kill = (): void => {
      if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
    };
    const timer = setTimeout(() => {
      kill();
      end(failed(`\`${program}\` did not end within ${limitMs / 1_000} s`));
    }, limitMs);
    const onAbort = (): void => {
      kill();
      end({ kind: 'aborted' });
    };
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    child.stderr.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-KEPT);
    });
    child.once('error', (error) => end(failed(`\`${program}\` cannot be started: ${error.message}`)));
    child.once('exit', (code, by) => {
      if (code === 0) return end({ kind: 'sent' });
      const last = said.trim().split('\n').at(-1) ?? '';
      end(failed(`\`${program}\` ended with ${by ?? `exit code ${code}`}${last === '' ? '' : `: ${last}`}`));
    });
    // A program may ignore its input and end.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

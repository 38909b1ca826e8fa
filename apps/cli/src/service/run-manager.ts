import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Failure } from '@mergexo/core/basics';

const run = promisify(execFile);

export type Env = Readonly<Record<string, string | undefined>>;
/** `missing`: this machine has no such service manager. */
export type ManagerAnswer =
  | { kind: 'ok'; output: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'missing' };

/** Runs `systemctl` or `launchctl`. */
export async function askManager(
  command: readonly string[],
  env: Env,
  limitMs = 30_000,
): Promise<ManagerAnswer> {
  const [program = '', ...args] = command;
  try {
    const { stdout } = await run(program, args, { timeout: limitMs, env: { ...env } });
    return { kind: 'ok', output: stdout };
  } catch (error) {
    const { code, stderr, message } = Object(error);
    if (code === 'ENOENT') return { kind: 'missing' };
    return { kind: 'failed', reason: String(stderr).trim() || String(message) };
  }
}

/** Runs the command and throws if it fails. `next` names the next step for the user. */
export async function requireManager(
  command: readonly string[],
  env: Env,
  { limitMs, next }: { limitMs?: number; next: string },
): Promise<string> {
  const answer = await askManager(command, env, limitMs);
  if (answer.kind === 'ok') return answer.output;
  const reason = answer.kind === 'missing' ? `${command[0]} was not found` : answer.reason;
  throw new Failure('unavailable', `\`${command.join(' ')}\` failed: ${reason}. ${next}`);
}

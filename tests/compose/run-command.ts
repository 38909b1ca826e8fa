import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export type CommandOptions = {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  input?: string;
  limitMs?: number;
};

const LIMIT_MS = 10 * 60_000;
/** Length of the output's end in an error message. */
const QUOTED = 4_000;

/** Runs a program without a shell and returns its standard output. Throws with the end of the output if it fails. */
export async function runCommand(
  program: string,
  args: readonly string[],
  { cwd, env = process.env, input = '', limitMs = LIMIT_MS }: CommandOptions = {},
): Promise<string> {
  const child = spawn(program, args, { cwd, env, stdio: 'pipe' });
  // The `timeout` of `spawn` would keep this process alive after a program that does not exist.
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(String(error)));
    child.once('close', (code, signal) => resolve(code === 0 ? '' : `exit ${code ?? signal}`));
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, failure] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  clearTimeout(timer);
  if (failure === '') return stdout;
  throw new Error(
    `${program} ${args.slice(0, 6).join(' ')} failed (${failure}):\n${(stdout + stderr).slice(-QUOTED)}`,
  );
}

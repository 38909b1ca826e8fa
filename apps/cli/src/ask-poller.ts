import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Failure } from '@mergexo/core/basics';
import type { Context } from './context.js';

const LIMIT_MS = 120_000;
/** An `eval` case contains its texts and up to eight uploads of 5 MB in base64. */
const MAX_BYTES = 80 * 1024 * 1024;

type Question = { configPath: string; env: Context['env']; args?: readonly string[] };

/** Runs a helper program of the poller and parses its JSON output. If it fails, its stderr is the error message. */
export async function askPoller<Answer>(
  program: string,
  { configPath, env, args = [] }: Question,
): Promise<Answer> {
  const path = fileURLToPath(new URL(`../../poller/dist/bin/${program}.js`, import.meta.url));
  const argv = ['--no-warnings', path, '--config', configPath, ...args];
  const options = { env: { ...env }, timeout: LIMIT_MS, maxBuffer: MAX_BYTES };
  const printed = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, argv, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      reject(new Failure('unavailable', stderr.trim().slice(0, 1_000) || error.message, { cause: error }));
    });
  });
  return JSON.parse(printed);
}

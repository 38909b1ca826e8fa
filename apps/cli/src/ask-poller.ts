import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Failure } from '@mergexo/core/basics';
import type { Context } from './context.js';

const LIMIT_MS = 120_000;
const MAX_BYTES = 10 * 1024 * 1024;

/** Runs a small program of the poller and answers with what it printed; what it complained of is the failure. */
export function askPoller(
  program: string,
  configPath: string,
  env: Context['env'],
  more: readonly string[] = [],
): Promise<string> {
  const path = fileURLToPath(new URL(`../../poller/dist/${program}.js`, import.meta.url));
  const args = ['--no-warnings', path, '--config', configPath, ...more];
  const options = { env: { ...env }, timeout: LIMIT_MS, maxBuffer: MAX_BYTES };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      reject(new Failure('unavailable', stderr.trim().slice(0, 1_000) || error.message, { cause: error }));
    });
  });
}

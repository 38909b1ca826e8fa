import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../run/run-confined.js';
import type { Environment } from '../sandbox/environment.js';
import type { Layout } from './find-program.js';
import type { Loan } from './lend-login.js';

/** A model provider's own program: its package, its keys and the place of the user's login. */
export type Cli = {
  name: string;
  npmPackage: string;
  layout: Layout;
  /** Variables with a key that replaces the login, by preference. */
  keys: readonly string[];
  /** The program keeps its state where this variable says, or in this folder of the home directory. */
  home: { variable: string; folder: string };
  loginFile: string;
  loginAdvice: string;
  isRenewed: Loan['isRenewed'];
};

/** As the program itself finds it for the user of the worker. */
export function findUserHome({ home }: Cli, env: Environment): string {
  return env[home.variable] || join(env['HOME'] || homedir(), home.folder);
}

export function adviseInstall({ name, npmPackage }: Cli): string {
  return `Run \`npm install -g ${npmPackage}\`, or set \`binary\` in [${name}].`;
}

/** The first variable with a key that the operator passes on and that is set. */
export function findKey({ keys }: Cli, { env, passEnv }: Pick<Host, 'env' | 'passEnv'>): string | undefined {
  return keys.filter((name) => passEnv.includes(name)).find((name) => (env[name] ?? '') !== '');
}

import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../run/run-confined.js';
import type { Environment } from '../sandbox/environment.js';
import type { Layout } from './find-program.js';
import type { Loan } from './lend-login.js';

/** The hosts of a program's model, as set by its vendor. */
type ModelHosts = {
  hosts: readonly string[];
  /** Additional hosts for a program that uses the user's login instead of a key. */
  loginHosts: readonly string[];
  /** Variables that can set another URL for the model. */
  urlVariables: readonly string[];
  /** Matches variables and arguments that select a provider whose hosts MergeXO does not know. */
  otherProvider: RegExp;
};

/** A model provider's own program, with its package, its keys and the location of the user's login. */
export type Cli = {
  name: string;
  npmPackage: string;
  layout: Layout;
  /** Variables that can hold a key to replace the login, in order of preference. */
  keys: readonly string[];
  /** Where the program keeps its state: the directory in `variable`, or `folder` in the home directory. */
  home: { variable: string; folder: string };
  loginFile: string;
  loginAdvice: string;
  isRefreshed: Loan['isRefreshed'];
  model: ModelHosts;
};

/** Finds the state directory that the program itself would use if the worker's user ran it. */
export function findUserHome({ home }: Cli, env: Environment): string {
  return env[home.variable] || join(env['HOME'] || homedir(), home.folder);
}

export function adviseInstall({ name, npmPackage }: Cli): string {
  return `Run \`npm install -g ${npmPackage}\`, or set \`binary\` in [${name}].`;
}

/** Finds the first variable that holds a key and that the operator passes to agents. */
export function findKey({ keys }: Cli, { env, passEnv }: Pick<Host, 'env' | 'passEnv'>): string | undefined {
  return keys.filter((name) => passEnv.includes(name)).find((name) => (env[name] ?? '') !== '');
}

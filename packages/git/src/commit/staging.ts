import type { WorkingTree } from '../checkout/working-tree.js';
import type { GitTools } from '../repository/git-tools.js';
import type { Author } from '../run/build-env.js';
import { type Invalid, refuse } from '../run/refuse.js';
import type { GitCommand } from '../run/run-git.js';

/** The repository in which a turn's commits are built and checked before they enter the trusted one. */
export type Staging = GitTools & {
  tree: WorkingTree;
  gitDir: string;
  /** Of every commit that is pushed. */
  author: Author;
  signal: AbortSignal;
};

export type Output = { kind: 'output'; stdout: Buffer };
export type Tree = { kind: 'tree'; tree: string };

type StagedCommand = Pick<GitCommand, 'args' | 'input'>;

/** Runs git in the staging repository. Content that git does not accept is `invalid`. */
export async function runStaged(staging: Staging, command: StagedCommand): Promise<Output | Invalid> {
  const { run, gitDir, tree, author, signal } = staging;
  const action = `committing the work of ${tree.slot}`;
  const ran = await run({ action, gitDir, author, signal, ...command });
  return ran.code === 0 ? { kind: 'output', stdout: ran.stdout } : refuse(action, ran);
}

/** Writes the tree that one change to the index makes of another tree. */
export async function editTree(
  staging: Staging,
  base: string,
  change: StagedCommand,
): Promise<Tree | Invalid> {
  for (const command of [{ args: ['read-tree', base] }, change]) {
    const ran = await runStaged(staging, command);
    if (ran.kind === 'invalid') return ran;
  }
  const written = await runStaged(staging, { args: ['write-tree'] });
  return written.kind === 'invalid' ? written : { kind: 'tree', tree: toText(written) };
}

/** False also for objects that the agent broke: they are refused when the commits are checked. */
export async function isAncestor(
  { run, gitDir, signal }: Staging,
  older: string,
  newer: string,
): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', older, newer];
  const { code } = await run({ action: `comparing ${older} with ${newer}`, args, gitDir, signal });
  return code === 0;
}

export const toText = ({ stdout }: Output): string => stdout.toString().trim();

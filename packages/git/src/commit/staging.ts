import type { WorkingTree } from '../checkout/working-tree.js';
import type { GitTools } from '../repository/git-tools.js';
import type { Author } from '../run/build-env.js';
import { type Invalid, refuse } from '../run/refuse.js';
import { type GitCommand, runIn } from '../run/run-git.js';

/** The repository in which a turn's commits are built and checked before they enter the trusted repository. */
export type Staging = GitTools & {
  tree: WorkingTree;
  gitDir: string;
  /** The author of every commit that is pushed. */
  author: Author;
  signal: AbortSignal;
};

export type Output = { kind: 'output'; stdout: Buffer };
export type Tree = { kind: 'tree'; tree: string };

type StagedCommand = Pick<GitCommand, 'args' | 'input'>;

/** Runs git in the staging repository. Returns `invalid` for content that git rejects. */
export async function runStaged(staging: Staging, command: StagedCommand): Promise<Output | Invalid> {
  const action = `committing the work of ${staging.tree.slot}`;
  const ran = await runIn(staging, { action, author: staging.author, ...command });
  return ran.code === 0 ? { kind: 'output', stdout: ran.stdout } : refuse(action, ran);
}

/** Reads a tree into the index, applies one change, and writes the resulting tree. */
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

/**
 * True if `older` is an ancestor of `newer`. Also false if the agent broke one of the objects; the checks on
 * the commits reject such objects.
 */
export async function isAncestor(staging: Staging, older: string, newer: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', older, newer];
  const { code } = await runIn(staging, { action: `comparing ${older} with ${newer}`, args });
  return code === 0;
}

export const toText = ({ stdout }: Output): string => stdout.toString().trim();

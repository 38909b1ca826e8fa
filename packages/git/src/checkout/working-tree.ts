import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@mergexo/core/basics';
import { codeOf } from '@mergexo/process';
import { settleAll } from '../files/settle-all.js';
import { discard } from '../files/trash.js';
import type { GitTools } from '../repository/git-tools.js';
import { makeRealDirectory, writeSkeleton } from '../repository/write-skeleton.js';
import { mustRun } from '../run/run-git.js';
import { isDiskFull } from '../run/to-failure.js';
import { removeSpecialFiles } from './remove-special-files.js';
import { removeUntracked } from './remove-untracked.js';

/** A slot's files, and the trusted repository that determines which files belong in the slot. */
export type WorkingTree = {
  label: string;
  slot: string;
  trusted: string;
  mirror: string;
};

type Target = { sha: string; signal?: AbortSignal | undefined };

/** Empties the trusted repository except for the index, which makes the next checkout fast. */
export function resetTrustedRepo({ trusted, mirror }: WorkingTree): Promise<void> {
  return writeSkeleton(trusted, { head: 'slot', bare: true, borrowsFrom: [mirror], keep: ['index'] });
}

/** Makes the slot's files exactly those of the commit. After an error, removes the slot and checks it out once more. */
export async function checkOutTree(tools: GitTools, tree: WorkingTree, target: Target): Promise<void> {
  await makeRealDirectory(tree.slot);
  try {
    await checkOut(tools, tree, target);
  } catch (error) {
    // A timeout also leads to a new checkout, because the slot's files may have caused it.
    if (target.signal?.aborted || isDueToFullDisk(error)) throw error;
    tools.log.warn(
      { repo: tree.label, slot: tree.slot, error: String(error) },
      'the slot is damaged; MergeXO checks it out again',
    );
    await rm(join(tree.trusted, 'index'), { force: true });
    await rm(join(tree.trusted, 'index.lock'), { force: true });
    await discard(tree.slot);
    await makeRealDirectory(tree.slot);
    await checkOut(tools, tree, target);
  }
}

async function checkOut(tools: GitTools, tree: WorkingTree, { sha, signal }: Target): Promise<void> {
  const trusted = { run: tools.run, gitDir: tree.trusted, signal };
  const clean = async () => removeUntracked(tree.slot, await tools.listTrackedFiles(trusted, sha));
  const fill = () => readTree(tools, tree, { sha, signal });
  await removeSpecialFiles(tree.slot, tools.limits.slotFiles);
  // On macOS, README and readme are one file. Git would consider the file unchanged while `clean` removes it under the
  // other name.
  if (process.platform === 'darwin') await clean().then(fill);
  else await settleAll(fill(), clean());
}

/** Restores the files of the commit, and keeps other files. */
export async function restoreTracked(tools: GitTools, tree: WorkingTree, target: Target): Promise<void> {
  await removeSpecialFiles(tree.slot, tools.limits.slotFiles);
  await readTree(tools, tree, target);
}

/** Uses `read-tree` instead of `reset --hard`, because `read-tree` moves no branch and runs no hook. */
async function readTree({ run }: GitTools, tree: WorkingTree, { sha, signal }: Target): Promise<void> {
  const { slot: workTree, trusted: gitDir } = tree;
  const action = `checking ${sha} out into ${workTree}`;
  const args = ['read-tree', '--reset', '-u', sha];
  await mustRun({ run, gitDir, signal }, { action, args, workTree, indexFile: join(gitDir, 'index') });
}

/** True for errors that a new mirror may fix. */
export function isRepairable(error: unknown): boolean {
  const isTimeout = error instanceof Failure && error.kind === 'timed-out';
  return !isTimeout && !isDueToFullDisk(error);
}

const isDueToFullDisk = (error: unknown): boolean => isDiskFull(`${codeOf(error)} ${String(error)}`);

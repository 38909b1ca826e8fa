import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@mergexo/core';
import { codeOf } from '@mergexo/process';
import { settleAll } from '../files/settle-all.js';
import { discard } from '../files/trash.js';
import type { Door } from '../repository/git-tools.js';
import { makeRealDirectory, writeSkeleton } from '../repository/write-skeleton.js';
import { mustRun } from '../run/run-git.js';
import { isDiskFull } from '../run/to-failure.js';
import { sweep } from './sweep.js';

/** A slot's files and the trusted repository that alone decides what they are. */
export type WorkingTree = {
  label: string;
  slot: string;
  trusted: string;
  mirror: string;
};

export type Show = { sha: string; signal?: AbortSignal | undefined };

/** The trusted repository without anything of an earlier task but the index, which makes the next checkout fast. */
export function renewTrusted({ trusted, mirror }: WorkingTree): Promise<void> {
  return writeSkeleton(trusted, { head: 'slot', bare: true, borrowsFrom: [mirror], keep: ['index'] });
}

/** Makes the slot's files exactly those of the commit. A slot that resists is thrown away and made anew, once. */
export async function showTree(door: Door, tree: WorkingTree, show: Show): Promise<void> {
  await makeRealDirectory(tree.slot);
  try {
    await checkOut(door, tree, show);
  } catch (error) {
    if (show.signal?.aborted || !isCurable(error)) throw error;
    door.log.warn(
      { repo: tree.label, slot: tree.slot, error: String(error) },
      'the slot is damaged and is made anew',
    );
    await rm(join(tree.trusted, 'index'), { force: true });
    await rm(join(tree.trusted, 'index.lock'), { force: true });
    await discard(tree.slot);
    await makeRealDirectory(tree.slot);
    await checkOut(door, tree, show);
  }
}

async function checkOut(
  { run, listTrackedFiles }: Door,
  tree: WorkingTree,
  { sha, signal }: Show,
): Promise<void> {
  const gitDir = tree.trusted;
  const indexFile = join(gitDir, 'index');
  // Plumbing instead of `reset --hard`: the same work, but no branch is moved and no hook exists for it.
  const args = ['read-tree', '--reset', '-u', sha];
  const action = `checking ${sha} out into ${tree.slot}`;
  const clean = () => listTrackedFiles({ gitDir, sha, signal }).then((tracked) => sweep(tree.slot, tracked));
  const fill = () => mustRun(run, { action, args, gitDir, workTree: tree.slot, indexFile, signal });
  // Where README and readme are one file, git would find it in order while it is being swept away under its other name.
  if (process.platform === 'darwin') await clean().then(fill);
  else await settleAll(fill(), clean());
}

/** Trouble that goes away when what is local is thrown away. */
export function isCurable(error: unknown): boolean {
  const isSlow = error instanceof Failure && error.kind === 'timed-out';
  return !isSlow && !isDiskFull(`${codeOf(error)} ${String(error)}`);
}

import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '@mergexo/process';
import { findObstacle } from '../files/read-inside.js';
import type { GitTools } from '../repository/git-tools.js';
import { readSlotHead } from '../repository/read-slot-head.js';
import { makeRealDirectory, type Skeleton, writeSkeleton } from '../repository/write-skeleton.js';
import type { Author } from '../run/build-env.js';
import { copyExcludes } from './exclude-created.js';
import { listSubmodules, unnest } from './unnest.js';
import type { WorkingTree } from './working-tree.js';

type Described = { tree: WorkingTree; author: Author };

/** Describes the repository for the agent's own `git log`, `git diff` and commits. MergeXO never runs git in it. */
export function describeAgentRepository(
  { tree, author }: Described,
  { branch, baseBranch }: { branch: string; baseBranch: string },
  { head, baseSha }: { head: string; baseSha: string },
): Skeleton {
  return {
    head: branch,
    bare: false,
    borrowsFrom: [tree.mirror],
    refs: { [`refs/heads/${branch}`]: head, [`refs/remotes/origin/${baseBranch}`]: baseSha },
    config: `[user]\n\tname = ${quote(author.name)}\n\temail = ${quote(author.email)}\n`,
  };
}

/** Writes the agent's repository next to the slot, because a damaged slot is removed completely. */
export const writeBeside = ({ slot }: WorkingTree, content: Skeleton): Promise<void> =>
  writeSkeleton(toBeside(slot), content);

/** Moves the repository into the slot, with the index of the files that are checked out. */
export async function moveInside({ slot, trusted }: WorkingTree): Promise<void> {
  await copyFile(join(trusted, 'index'), join(toBeside(slot), 'index'));
  await rename(toBeside(slot), join(slot, '.git'));
}

/**
 * Writes the agent's repository again, and keeps only the head and the objects. Call this before an agent starts after
 * setup or tests ran in the slot: they can write to `.git`, and Codex runs git outside its own sandbox, where a filter
 * or hook could read the login. Also removes the repositories of submodules, because `git status` enters them.
 */
export async function renewAgentRepository(
  tools: GitTools & { signal: AbortSignal },
  tree: WorkingTree,
  content: Skeleton,
): Promise<void> {
  const { slot, trusted } = tree;
  const head = await readSlotHead(slot);
  const { [`refs/heads/${content.head}`]: _start, ...refs } = content.refs ?? {};
  // Without a head, the branch does not exist either, and `collect` refuses the work.
  const kept = head === null ? refs : { ...refs, [`refs/heads/${content.head}`]: head };
  await writeBeside(tree, { ...content, refs: kept });
  await copyExcludes(trusted, toBeside(slot));
  await moveObjects(slot);
  await removeTree(join(slot, '.git'));
  await moveInside(tree);
  const repository = { run: tools.run, gitDir: trusted, signal: tools.signal };
  await unnest(slot, await listSubmodules(repository, tree));
}

/** Moves the agent's objects, without the list of other repositories whose objects git would read. */
async function moveObjects(slot: string): Promise<void> {
  if ((await findObstacle(slot, ['.git', 'objects'])) !== undefined) return;
  const [written, old] = [join(toBeside(slot), 'objects'), join(toBeside(slot), 'objects.old')];
  await rename(join(slot, '.git/objects'), old);
  await makeRealDirectory(old);
  await removeTree(join(old, 'info'));
  await rename(join(written, 'info'), join(old, 'info'));
  await removeTree(written);
  await rename(old, written);
}

const toBeside = (slot: string): string => `${slot}.git`;

function quote(value: string): string {
  return `"${value.replace(/[\\"]/g, '\\$&').replace(/\n/g, ' ')}"`;
}

import type { Author } from './new-commit.js';
import { askGit, runGit } from './run-git.js';

export type Signature = { author: Author; committer: Author; atMs: number };

/** Returns the tree of a merge, or undefined on conflict. */
export async function mergeTrees(dir: string, base: string, head: string): Promise<string | undefined> {
  const result = await askGit(dir, ['merge-tree', '--write-tree', '--allow-unrelated-histories', base, head]);
  if (result.code > 1 || result.code < 0) throw new Error(`git merge-tree failed: ${result.stderr}`);
  return result.code === 0 ? result.stdout.toString().slice(0, 40) : undefined;
}

export async function commitTree(
  dir: string,
  commit: { tree: string; parents: string[]; message: string; signature: Signature },
): Promise<string> {
  const { author, committer, atMs } = commit.signature;
  const date = `@${Math.floor(atMs / 1000)} +0000`;
  const args = ['commit-tree', commit.tree, ...commit.parents.flatMap((parent) => ['-p', parent])];
  const sha = await runGit(dir, args, {
    input: commit.message.replaceAll('\0', '').replace(/\n?$/, '\n'),
    env: {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
      GIT_COMMITTER_DATE: date,
    },
  });
  return sha.trim();
}

export async function isAncestor(dir: string, older: string, newer: string): Promise<boolean> {
  return (await askGit(dir, ['merge-base', '--is-ancestor', older, newer])).code === 0;
}

export async function findMergeBase(dir: string, a: string, b: string): Promise<string | undefined> {
  const result = await askGit(dir, ['merge-base', a, b]);
  return result.code === 0 ? result.stdout.toString().trim() : undefined;
}

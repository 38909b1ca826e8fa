import { listCommits } from './commits.js';
import { askGit, runGit } from './run-git.js';
import type { Author } from './write-files.js';
import { writeObject } from './write-object.js';

export type MergeTree = { kind: 'clean'; tree: string } | { kind: 'conflict' };
export type Signature = { author: Author; committer: Author; atMs: number };

export async function mergeTrees(dir: string, base: string, head: string): Promise<MergeTree> {
  const result = await askGit(dir, ['merge-tree', '--write-tree', '--allow-unrelated-histories', base, head]);
  if (result.code === 0) return { kind: 'clean', tree: result.stdout.toString().slice(0, 40) };
  if (result.code === 1) return { kind: 'conflict' };
  throw new Error(`git merge-tree failed: ${result.stderr}`);
}

export async function commitTree(
  dir: string,
  commit: { tree: string; parents: string[]; message: string; signature: Signature },
): Promise<string> {
  const { tree, parents, message, signature } = commit;
  const seconds = Math.floor(signature.atMs / 1000);
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${toIdentity(signature.author)} ${seconds} +0000`,
    `committer ${toIdentity(signature.committer)} ${seconds} +0000`,
    '',
    message.replaceAll('\0', '').replace(/\n?$/, '\n'),
  ];
  return writeObject(dir, 'commit', Buffer.from(lines.join('\n')));
}

/**
 * Replays the commits of `head` on top of `base`, as "Rebase and merge" does; undefined on conflict. Merge commits
 * and commits that become empty are left out. Older gits cannot name the merge base of merge-tree, so each step
 * merges two throw-away commits whose common parent has the tree that the replayed commit started from.
 */
export async function rebase(
  dir: string,
  base: string,
  head: string,
  signature: Signature,
): Promise<string | undefined> {
  const commits = await listCommits(dir, {
    range: ['--reverse', '--topo-order', '--no-merges', `${base}..${head}`],
  });
  let tip = base;
  for (const commit of commits) {
    const [parent] = commit.parents;
    const before = parent ? await treeOf(dir, parent) : await emptyTree(dir);
    const onto = await treeOf(dir, tip);
    const root = await commitTree(dir, { tree: before, parents: [], message: 'base', signature });
    const ours = await commitTree(dir, { tree: onto, parents: [root], message: 'ours', signature });
    const theirs = await commitTree(dir, {
      tree: commit.tree,
      parents: [root],
      message: 'theirs',
      signature,
    });
    const merged = await mergeTrees(dir, ours, theirs);
    if (merged.kind === 'conflict') return undefined;
    if (merged.tree === onto) continue;
    const replayed = { author: commit.author, committer: signature.committer, atMs: signature.atMs };
    tip = await commitTree(dir, {
      tree: merged.tree,
      parents: [tip],
      message: commit.message,
      signature: replayed,
    });
  }
  return tip;
}

export async function isAncestor(dir: string, older: string, newer: string): Promise<boolean> {
  return (await askGit(dir, ['merge-base', '--is-ancestor', older, newer])).code === 0;
}

export async function findMergeBase(dir: string, a: string, b: string): Promise<string | undefined> {
  const result = await askGit(dir, ['merge-base', a, b]);
  return result.code === 0 ? result.stdout.toString().trim() : undefined;
}

const treeOf = async (dir: string, commit: string) =>
  (await runGit(dir, ['rev-parse', `${commit}^{tree}`])).trim();
const emptyTree = async (dir: string) => (await runGit(dir, ['mktree'])).trim();

/** Without the characters that would end the name or the address early. */
function toIdentity({ name, email }: Author): string {
  const clean = (text: string) => text.replace(/[<>\n\0]/g, '').trim();
  return `${clean(name)} <${clean(email)}>`;
}

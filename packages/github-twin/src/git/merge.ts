import { askGit } from './run-git.js';
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

export async function isAncestor(dir: string, older: string, newer: string): Promise<boolean> {
  return (await askGit(dir, ['merge-base', '--is-ancestor', older, newer])).code === 0;
}

export async function findMergeBase(dir: string, a: string, b: string): Promise<string | undefined> {
  const result = await askGit(dir, ['merge-base', a, b]);
  return result.code === 0 ? result.stdout.toString().trim() : undefined;
}

/** Without the characters that would end the name or the address early. */
function toIdentity({ name, email }: Author): string {
  const clean = (text: string) => text.replace(/[<>\n\0]/g, '').trim();
  return `${clean(name)} <${clean(email)}>`;
}

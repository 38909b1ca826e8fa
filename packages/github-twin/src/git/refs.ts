import { askGit, runGit } from './run-git.js';

/** Branches and tags, by full ref name. */
export type Refs = Record<string, string>;

export async function readRefs(dir: string): Promise<Refs> {
  const lines = await runGit(dir, [
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    'refs/heads',
    'refs/tags',
  ]);
  const found = lines.split('\n').filter(Boolean);
  return Object.fromEntries(found.map((line) => [line.slice(41), line.slice(0, 40)]));
}

/** Moves, creates or deletes a ref; null means absent. Returns false if the ref is no longer at `before`. */
export async function moveRef(
  dir: string,
  ref: string,
  change: { before: string | null; after: string | null },
): Promise<boolean> {
  const zero = '0'.repeat(40);
  const input = `update ${ref}\0${change.after ?? zero}\0${change.before ?? zero}\0`;
  return (await askGit(dir, ['update-ref', '-z', '--stdin'], { input })).code === 0;
}

/** Points the ref to a commit, regardless of its current value. */
export async function setRef(dir: string, ref: string, sha: string): Promise<void> {
  await runGit(dir, ['update-ref', ref, sha]);
}

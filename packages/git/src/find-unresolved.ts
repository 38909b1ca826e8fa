import type { Merge, Place } from './compute-merge.js';
import { findConflictBlocks } from './find-conflict-blocks.js';
import { type Conflict, toConflict } from './parse-merge.js';
import { readBlobs } from './read-blobs.js';
import { mustRun, type RunGit } from './run-git.js';

export type Resolution = {
  startSha: string;
  merge: Merge /** What the slot's files are now. */;
  tree: string;
};

/** The files that keep a resolution from being committed. */
export async function findUnresolved(run: RunGit, place: Place, resolution: Resolution): Promise<Conflict[]> {
  const marked = await findMarked(run, place, resolution);
  return marked.length > 0 ? marked : findUndone(run, place, resolution);
}

async function findMarked(run: RunGit, place: Place, { merge, tree }: Resolution): Promise<Conflict[]> {
  if (merge.conflicts.length === 0) return [];
  const idOf = await listFiles(run, place, tree);
  const ids = merge.conflicts.flatMap(({ path }) => idOf.get(path) ?? []);
  const files = await readBlobs(run, place, ids);
  const blocksOf = (id: string | undefined, blobs: ReadonlyMap<string, Buffer>): string[] =>
    findConflictBlocks(blobs.get(id ?? '')?.toString('latin1') ?? '');
  const suspects = merge.conflicts.filter(({ path }) => blocksOf(idOf.get(path), files).length > 0);
  // A document about merges may have such lines of its own.
  const sides = await readBlobs(
    run,
    place,
    suspects.flatMap((suspect) => suspect.sides),
  );
  return suspects
    .filter((suspect) => {
      const before = new Set(suspect.sides.flatMap((id) => blocksOf(id, sides)));
      return blocksOf(idOf.get(suspect.path), files).some((block) => !before.has(block));
    })
    .map(({ path }) => toConflict({ path, reason: 'it still has conflict markers' }));
}

/**
 * Whoever stashes or resets the files loses the merge, and little but its second parent would be left: the changes of the
 * base would be taken back in silence. One file that is put back may be meant so; all of them are not.
 */
async function findUndone(run: RunGit, place: Place, resolution: Resolution): Promise<Conflict[]> {
  const { startSha, merge, tree } = resolution;
  const conflicting = new Set(merge.conflicts.map(({ path }) => path));
  const brought = await listDifferent(run, place, [startSha, merge.tree]);
  const fitting = [...brought].filter(([path]) => !conflicting.has(path));
  const changed = await listDifferent(run, place, [startSha, tree]);
  // Files that are new stay where they are when those that git knows are put back.
  const edited = fitting.filter(([, status]) => status === 'M');
  const telling = edited.length > 0 ? edited : fitting;
  if (telling.some(([path]) => changed.has(path))) return [];
  return telling.map(([path]) => toConflict({ path, reason: 'what the base changed in it is gone' }));
}

/** Regular files only; a link has no lines. */
async function listFiles(run: RunGit, place: Place, tree: string): Promise<ReadonlyMap<string, string>> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', tree];
  const { stdout } = await mustRun(run, { action: `listing the files of ${tree}`, args, ...place });
  const files = new Map<string, string>();
  for (const record of stdout.toString('latin1').split('\0')) {
    const [, id = '', path = ''] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(record) ?? [];
    if (path !== '') files.set(path, id);
  }
  return files;
}

/** Paths with git's letter for what became of them. */
async function listDifferent(
  run: RunGit,
  place: Place,
  trees: readonly [older: string, newer: string],
): Promise<ReadonlyMap<string, string>> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--name-status', ...trees];
  const { stdout } = await mustRun(run, { action: `comparing ${trees.join(' with ')}`, args, ...place });
  const words = stdout.toString('latin1').split('\0');
  const files = new Map<string, string>();
  for (let index = 0; index + 1 < words.length; index += 2)
    files.set(words[index + 1] ?? '', words[index] ?? '');
  return files;
}

import { countSides } from './commits.js';
import { diffFiles, type FileChange } from './diff.js';
import { findMergeBase } from './merge.js';
import { createMemory } from './remember.js';

export type Comparison = { mergeBase: string; aheadBy: number; behindBy: number; files: FileChange[] };

/** What `base...head` means: the merge base, the counts and the files. Undefined for unrelated histories. */
export function createComparer(dir: string) {
  const remember = createMemory<Comparison | undefined>(1_000);
  return (base: string, head: string): Promise<Comparison | undefined> =>
    remember(`${base}...${head}`, async () => {
      const mergeBase = await findMergeBase(dir, base, head);
      if (mergeBase === undefined) return undefined;
      const [{ aheadBy, behindBy }, files] = await Promise.all([
        countSides(dir, base, head),
        diffFiles(dir, mergeBase, head),
      ]);
      return { mergeBase, aheadBy, behindBy, files };
    });
}

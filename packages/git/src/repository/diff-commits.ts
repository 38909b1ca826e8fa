import { mustRun, type Place, type RunGit } from '../run/run-git.js';
import { findMergeBase } from './lineage.js';

export type DiffRequest = {
  base: string;
  head: string;
  /** The text ends at the last line that fits. */
  maxBytes: number;
};

/** As GitHub shows it: moved files as such, three lines around each change, and nothing that a file's own settings add. */
const OPTIONS = [
  '--patch',
  '--find-renames',
  '--unified=3',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
];

/** The lines that the head changed since it diverged from the base; bytes that are no UTF-8 read as U+FFFD. */
export async function diffCommits(
  run: RunGit,
  { base, head, maxBytes, ...place }: DiffRequest & Place,
): Promise<string> {
  const mergeBase = await findMergeBase(run, { older: base, newer: head, ...place });
  const { stdout } = await mustRun(run, {
    action: `comparing ${base} with ${head}`,
    args: ['diff-tree', ...OPTIONS, mergeBase ?? base, head],
    // One byte more tells a diff that is cut from one that fits exactly.
    enoughBytes: maxBytes + 1,
    ...place,
  });
  const end = stdout.length <= maxBytes ? stdout.length : stdout.subarray(0, maxBytes).lastIndexOf('\n') + 1;
  return stdout.subarray(0, end).toString();
}

import { mustRun, type RunGit } from '../run/run-git.js';
import type { BundleJob } from './bundle.js';
import { findMergeBase } from './lineage.js';

export type DiffRequest = {
  base: string;
  head: string;
  /** The text ends at the last line that fits. */
  maxBytes: number;
};

export type Diff = { text: string; isCut: boolean };

/** What GitHub would show: moved files as such, three lines around each change, and nothing that a file's own settings add. */
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

/** The lines that the head changed since it left the base; bytes that are no UTF-8 read as U+FFFD. */
export async function diffCommits(
  run: RunGit,
  { base, head, maxBytes, ...place }: DiffRequest & Pick<BundleJob, 'gitDir' | 'signal'>,
): Promise<Diff> {
  const mergeBase = await findMergeBase(run, { older: base, newer: head, ...place });
  const { stdout } = await mustRun(run, {
    action: `comparing ${base} with ${head}`,
    args: ['diff-tree', ...OPTIONS, mergeBase ?? base, head],
    // One more than wanted tells a diff that was cut from one that fits exactly.
    enoughBytes: maxBytes + 1,
    ...place,
  });
  if (stdout.length <= maxBytes) return { text: stdout.toString(), isCut: false };
  const end = stdout.subarray(0, maxBytes).lastIndexOf('\n') + 1;
  return { text: stdout.subarray(0, end).toString(), isCut: true };
}

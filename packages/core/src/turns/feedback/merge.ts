import { fenceOutput, list, oneLine } from '../../prompts/fence.js';

const MAX_FILES = 100;

/** The result of merging the base branch in the working directory. */
export type MergeNote = {
  kind: 'up-to-date' | 'merged' | 'conflicts';
  /** The conflicting files, each with its kind of conflict. */
  files: readonly { path: string; reason: string }[];
};

/** Describes the requested merge, which MergeXO has already made. The agent only resolves conflicts. */
export function renderMerge({ kind, files }: MergeNote, baseBranch: string): string[] {
  const base = oneLine(baseBranch);
  switch (kind) {
    case 'up-to-date':
      return [
        `Someone asked MergeXO to update the branch, but it already contains ${base}. There is nothing to merge.`,
      ];
    case 'merged':
      return [
        `MergeXO merged the base branch, ${base}, into the working directory without conflicts. It has not committed the ` +
          'merge yet. Unless the new comments ask for more, change a file only where the two sides do not work together.',
        KEEP,
      ];
    case 'conflicts':
      return [
        `MergeXO merged the base branch, ${base}, into the working directory. It has not committed the merge, because these files conflict:`,
        renderConflicts(files),
        `Resolve every conflict:\n${list(buildRules(base))}`,
      ];
  }
}

const KEEP =
  'Do not commit, and do not run git merge, git stash, git checkout or git restore: the merge exists only in the ' +
  'working directory, and these commands could discard it. MergeXO makes the merge commit after you answer; you may set ' +
  'commit_message to null.';

function buildRules(base: string): string[] {
  return [
    `Keep the intent of both sides. The text between <<<<<<< and ======= is from the branch; the text between ======= and >>>>>>> is from ${base}.`,
    'Remove all conflict markers. MergeXO does not commit while any remain.',
    `If a file has no markers, it is binary, renamed, or deleted on one side. Keep the correct version, or delete the file. git show origin/${base}:PATH prints the version on ${base}; git show HEAD:PATH prints the version on the branch.`,
    'Change nothing else unless a new comment asks for it or the two sides do not work together.',
    KEEP,
  ];
}

function renderConflicts(files: MergeNote['files']): string {
  const left = files.length - MAX_FILES;
  const names = files.slice(0, MAX_FILES).map(({ path, reason }) => `${oneLine(path)}: ${oneLine(reason)}`);
  const more = left > 0 ? [`and ${left} more; search for <<<<<<<`] : [];
  return fenceOutput('CONFLICTS', list([...names, ...more]));
}

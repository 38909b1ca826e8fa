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
        `Somebody asked to update the branch, but it already contains ${base}. There is nothing to merge.`,
      ];
    case 'merged':
      return [
        `${base} is merged into the working directory. The merge is not committed yet, and nothing ` +
          'conflicts. If the new comments ask for nothing else, change a file only where the two sides do not work together.',
        KEEP,
      ];
    case 'conflicts':
      return [
        `${base} is merged into the working directory. The merge is not committed yet: these files conflict.`,
        renderConflicts(files),
        `Resolve every one of them:\n${list(buildRules(base))}`,
      ];
  }
}

const KEEP =
  'Do not commit, and do not run git merge, git stash, git checkout or git restore: the merge exists only in these ' +
  'files. MergeXO makes the merge commit after your answer; you may leave commit_message out.';

function buildRules(base: string): string[] {
  return [
    `Keep the intent of both sides. The text between <<<<<<< and ======= is from the branch, the text between ======= and >>>>>>> is from ${base}.`,
    'Remove all markers: MergeXO commits nothing while one is left.',
    `A file without markers is binary, renamed, or deleted on one side: keep the right version, or delete the file. git show origin/${base}:PATH prints the version on ${base}; git show HEAD:PATH prints the version on the branch.`,
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

import { fenceOutput, list, oneLine } from '../../prompts/fence.js';

const MAX_FILES = 100;

/** What came of merging the base branch into the branch, in the working directory. */
export type MergeNote = {
  kind: 'up-to-date' | 'merged' | 'conflicts';
  /** Those that conflict, and how. */
  files: readonly { path: string; reason: string }[];
};

/** The merge that people asked for. It is made for the agent, which has only to bring together what does not fit. */
export function renderMerge({ kind, files }: MergeNote, baseBranch: string): string[] {
  const base = oneLine(baseBranch);
  switch (kind) {
    case 'up-to-date':
      return [
        `An update of the branch was asked for. It has everything that ${base} has: there is nothing to merge.`,
      ];
    case 'merged':
      return [
        `${base} is merged into the files of the working directory. The merge is not committed yet, and nothing ` +
          'conflicts. Where new comments ask for nothing else, change a file only if the two do not work together.',
        KEEP,
      ];
    case 'conflicts':
      return [
        `${base} is merged into the files of the working directory. The merge is not committed yet: these files conflict.`,
        renderConflicts(files),
        `Resolve every one of them:\n${list(buildRules(base))}`,
      ];
  }
}

const KEEP =
  'Do not commit, and do not run git merge, git stash, git checkout or git restore: the files are all there is of the ' +
  'merge. The merge commit is made after your answer; commit_message may be left out.';

function buildRules(base: string): string[] {
  return [
    `Keep what both sides meant. Between <<<<<<< and ======= stands the branch, between ======= and >>>>>>> stands ${base}.`,
    'Remove the markers: while one is left, nothing is committed.',
    `A file without markers is binary, renamed, or deleted on one side: leave the version that is right, or none. git show origin/${base}:PATH prints the one of ${base}, git show HEAD:PATH the one of the branch.`,
    'Change nothing else, unless a new comment asks for it or the two do not work together.',
    KEEP,
  ];
}

function renderConflicts(files: MergeNote['files']): string {
  const left = files.length - MAX_FILES;
  const names = files.slice(0, MAX_FILES).map(({ path, reason }) => `${oneLine(path)}: ${oneLine(reason)}`);
  const more = left > 0 ? [`and ${left} more; search for <<<<<<<`] : [];
  return fenceOutput('CONFLICTS', list([...names, ...more]));
}

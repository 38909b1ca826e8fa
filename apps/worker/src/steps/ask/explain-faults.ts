import { sanitiseLine } from '@mergexo/core/sanitise';
import type { BlockKind, WaitKind } from '@mergexo/core/turns';
import type { Collected, Conflict } from '@mergexo/git';

/** Work that must not be pushed. The agent gets the complaints and can fix them. */
export type Faulty = {
  kind: 'faulty';
  /** One complaint per file, for the agent. */
  complaints: string[];
  /** Explains to people why nothing was pushed. */
  reason: string;
  /** Why the work waits for a person if the agent does not fix the problem. */
  holdKind: BlockKind & WaitKind;
};

export type Faults = Extract<Collected, { kind: 'unresolved' | 'escaping' | 'unrelated' | 'secret' }>;

/** `mergedBranch`: the base branch that the turn merges into the slot's files; null if the turn does not merge. */
type TurnMerge = { startSha: string; mergedBranch: string | null };

// Maximum number of files to list. A notice has no room for more, and the agent does not need more.
const MAX_FILES = 10;
const MAX_NAME = 120;

export function explainFaults({ kind, files }: Faults, turn: TurnMerge): Faulty {
  const [headline, remedy] = EXPLANATIONS[kind](turn);
  const names = cut(files, ({ path, reason }) => `- ${path}: ${reason}`);
  return {
    kind: 'faulty',
    complaints: cut(files, ({ path, reason }) => `${path}: ${reason}; ${remedy}`),
    reason: [`${headline} Nothing was pushed.`, '', ...names].join('\n'),
    holdKind: kind === 'secret' ? 'secret_found' : 'agent_blocked',
  };
}

const EXPLANATIONS: Record<Faults['kind'], (turn: TurnMerge) => [headline: string, remedy: string]> = {
  unresolved: ({ mergedBranch }) =>
    mergedBranch === null
      ? [
          'The agent left conflict markers or an unfinished merge.',
          'remove the markers; commit a merge that you started, or end it with git merge --abort',
        ]
      : [
          `The agent did not resolve the conflicts with ${mergedBranch}.`,
          'resolve the conflict in the file, do not commit',
        ],
  escaping: () => [
    'The agent added links that lead outside the repository.',
    'remove the link, or link to a file of the repository by a relative path',
  ],
  unrelated: ({ startSha }) => [
    'The agent merged a history that is unrelated to the branch.',
    `nothing was pushed, so in this case you may run git reset --soft ${startSha}, which keeps the files; then ` +
      'remove the files that the merge added',
  ],
  secret: () => [
    'The agent wrote a secret into the change.',
    'remove the secret, and do not write it in another form; a later commit that removes the secret is enough',
  ],
};

function cut(files: readonly Conflict[], render: (file: Conflict) => string): string[] {
  const left = files.length - MAX_FILES;
  const named = files
    .slice(0, MAX_FILES)
    .map(({ path, reason }) => render({ path: shorten(path), reason: shorten(reason) }));
  return left > 0 ? [...named, `and ${left} more files`] : named;
}

function shorten(text: string): string {
  const line = sanitiseLine(text);
  return line.length > MAX_NAME ? `…${line.slice(-MAX_NAME)}` : line;
}

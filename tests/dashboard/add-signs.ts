import type { State } from '@mergexo/state';

type Place = { repoId: number; issueNumber: number; prNumber: number };

/** Adds the signs of an issue that GitHub shows: a reaction to the issue and to two comments, and the status comment. */
export function addSigns(
  state: State,
  { repoId, issueNumber, prNumber }: Place,
  { commentId, isEnded }: { commentId: number; isEnded: boolean },
): void {
  const shown = {
    shown: 'rocket',
    shownId: commentId,
    staleId: null,
    sending: null,
    refused: false,
  } as const;
  const subjects = [
    { kind: 'issue', subjectId: issueNumber, thread: issueNumber, open: !isEnded },
    { kind: 'comment', subjectId: commentId, thread: prNumber, open: false },
    { kind: 'comment', subjectId: commentId + 1, thread: prNumber, open: false },
  ] as const;
  for (const subject of subjects) state.saveReaction({ repoId, ...subject, ...shown });
  const remoteId = 900_000_000 + commentId;
  const status = { repoId, issueNumber, remoteId, digest: 'd'.repeat(64), sentAt: 1, open: !isEnded };
  state.saveStatusComment({ ...status, state: 'posted' });
}

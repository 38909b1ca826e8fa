import { Failure, failpoint } from '@mergexo/core/basics';
import { decideReactionStep, noteAdded, noteRemoved, noteRemoving, type Reaction } from '@mergexo/core/signs';
import type { StoredReaction } from '@mergexo/state';
import type { Repo } from '../tools.js';
import { handleSignFailure } from './handle-sign-failure.js';
import type { WantedSign } from './list-reactions.js';
import type { Signing } from './sign-tools.js';

/** Brings one reaction to the wanted state. Returns false if the rest of the round must wait. */
export async function sendReaction(
  signing: Signing,
  repo: Repo,
  { row: first, wanted, isFinal }: WantedSign,
): Promise<boolean> {
  let row = first;
  for (;;) {
    const step = decideReactionStep(row, wanted);
    if (step.kind === 'none') {
      if (row.open && isFinal) signing.state.saveReaction({ ...row, open: false });
      return true;
    }
    if (!(await signing.mayWrite())) return false;
    try {
      row =
        step.kind === 'add'
          ? await add(signing, repo, { row, content: step.content })
          : await remove(signing, repo, { row, id: step.id });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      await handleSignFailure(signing, repo, {
        failure: error,
        thread: row.thread,
        // GitHub did not apply the request, so a later reaction of the same kind is not ours.
        undo: () => signing.state.saveReaction(row),
        refuse: () => signing.state.saveReaction({ ...row, refused: true, open: false }),
      });
      return true;
    } finally {
      signing.budget.noteWrite();
    }
  }
}

async function add(
  { state, github }: Signing,
  repo: Repo,
  { row, content }: { row: StoredReaction; content: Reaction },
): Promise<StoredReaction> {
  const isRetry = row.sending === content;
  state.saveReaction({ ...row, sending: content, open: true });
  failpoint('poller:sign-sending');
  const subject = { kind: row.kind, id: row.subjectId };
  const added = await github.addReaction(repo.config.fullName, subject, content);
  failpoint('poller:sign-answered');
  const next = { ...row, ...noteAdded(row, content, { ...added, isRetry }), open: true };
  state.saveReaction(next);
  failpoint('poller:sign-recorded');
  return next;
}

async function remove(
  { state, github }: Signing,
  repo: Repo,
  { row, id }: { row: StoredReaction; id: number },
): Promise<StoredReaction> {
  const removing = { ...row, ...noteRemoving(row, id), open: true };
  state.saveReaction(removing);
  failpoint('poller:sign-sending');
  try {
    await github.removeReaction(repo.config.fullName, { kind: row.kind, id: row.subjectId }, id);
  } catch (error) {
    // Somebody has removed the reaction or the comment.
    if (!(error instanceof Failure) || error.kind !== 'not-found') throw error;
  }
  failpoint('poller:sign-answered');
  const next = { ...removing, ...noteRemoved(removing) };
  state.saveReaction(next);
  failpoint('poller:sign-recorded');
  return next;
}

import type { Run } from '@mergexo/state';
import type { Records } from '../tools.js';
import { recordEvents } from './record-events.js';
import { nameOf } from './run/end-start.js';

/** Marks the comment as processed once the redirect was posted or permanently refused. Requires a transaction. */
export function finishRedirect(
  tools: Records,
  run: Run,
  { commentId, said }: { commentId: number; said: boolean },
): void {
  const { state, now } = tools;
  const { repoId, id: runId, issueNumber, prNumber } = run;
  const pending = state
    .listUnclaimedEvents(repoId, issueNumber)
    .filter((event) => event.commentId === commentId && event.kind === 'issue');
  for (const event of pending)
    state.markEventProcessed(event, now(), said ? null : { code: 'redirect_refused' });
  if (!said) return;
  state.moveCommentCursors({ repoId, issueNumber }, { postPrLastRedirectedCommentId: commentId }, now());
  recordEvents(tools, [
    {
      type: 'source_issue_comment_redirected',
      repoId,
      runId,
      issueNumber,
      prNumber,
      payload: {
        repo_full_name: nameOf(state, repoId),
        comment_count: 1,
        first_comment_id: commentId,
        last_comment_id: commentId,
      },
    },
  ]);
}

import type { Action } from '@mergexo/core/actions';
import { Failure, failpoint } from '@mergexo/core/basics';
import { markSending } from '../lifecycle/action.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { checkBeforePosting } from './check-before-posting.js';
import { handleSendFailure } from './handle-failure.js';
import type { Posting, Progress } from './posting.js';
import type { Post, PostContext } from './posts/post.js';
import { settleAction } from './settle-action.js';

/** Sends an action if the last check allows it. */
export async function sendIfAllowed(
  outbox: Posting,
  action: Action,
  { post, context }: { post: Post; context: PostContext },
): Promise<Progress> {
  if (await checkBeforePosting(outbox, action, context)) return send(outbox, action, { post, context });
  outbox.memory.lookAgain(action);
  return 'waits';
}

/** Saves the state `sending` before the request, so that after a crash the outbox searches for the post first. */
async function send(
  outbox: Posting,
  action: Action,
  { post, context }: { post: Post; context: PostContext },
): Promise<Progress> {
  const sending = outbox.state.transaction(() => claim(outbox, action, { post, context }));
  if (sending === undefined) return 'waits';
  failpoint('poller:action-sending');
  try {
    const sent = await post.send();
    failpoint('poller:action-answered');
    settleAction(outbox, sending, { ...sent, ...context });
    return 'moved';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return await handleSendFailure(outbox, sending, { context, failure: error });
  } finally {
    outbox.memory.noteWrite(action);
    await outbox.sleep(outbox.spacingMs);
  }
}

/** Marks the action as `sending`. Returns undefined if the action changed or its turn ended during the checks. */
function claim(
  outbox: Posting,
  action: Action,
  { post, context }: { post: Post; context: PostContext },
): Action | undefined {
  const { state } = outbox;
  if (state.readAction(action.id)?.state !== action.state) return undefined;
  if (action.turnKey !== null && state.readTurn(action.turnKey)?.state !== 'speaking') return undefined;
  const claimed = markSending(outbox, action, post.token);
  recordEvents(outbox, [
    {
      type: 'action_sending',
      repoId: action.repoId,
      runId: context.run?.id ?? null,
      issueNumber: context.run?.issueNumber ?? null,
      turnKey: action.turnKey,
      actionToken: post.token,
      payload: { action: action.kind, target: action.target, sends: claimed.sends },
    },
  ]);
  return claimed;
}

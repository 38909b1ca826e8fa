import { ACTION_TRAITS, type Action } from '@mergexo/core/actions';
import type { Failure } from '@mergexo/core/basics';
import { decideOpenConflict, decideRefusal } from '@mergexo/core/outbox';
import { isLive } from '@mergexo/core/turns';
import { isLocked, statusOf } from '@mergexo/github';
import { markPlanned } from '../lifecycle/action.js';
import { isReadable } from '../threads/find-issue.js';
import type { Posting, Progress } from './posting.js';
import { createPost } from './posts/create-post.js';
import type { PostContext } from './posts/post.js';
import { explainForeign } from './posts/post.js';
import { renderBodyOnly, renderPost } from './posts/review-posts.js';
import { dropAction, refuseAction, settleAction } from './settle-action.js';

type Failed = { context: PostContext; failure: Failure };

const REPOSITORY_PAUSE_MS = 60_000;
const THREAD_PAUSE_MS = 5_000;

/** Handles a failed request: GitHub refused it, or its outcome is unknown. */
export async function handleSendFailure(outbox: Posting, action: Action, failed: Failed): Promise<Progress> {
  const { failure } = failed;
  switch (failure.kind) {
    case 'conflict':
      return handleConflict(outbox, action, failed);
    case 'rate-limited':
    case 'unauthorized':
    case 'not-found':
      // GitHub refused the request without applying it.
      keepPlanned(outbox, action);
      return pauseOrRefuse(outbox, { ...action, state: 'planned' }, failed);
    case 'unavailable':
    case 'timed-out':
    case 'unknown-outcome':
    case 'invalid-data':
      outbox.log.warn(
        { action: action.kind, err: failure },
        'GitHub may have applied a write without confirming it; MergeXO searches for it before it retries',
      );
      return 'waits';
  }
}

export async function pauseOrRefuse(
  outbox: Posting,
  action: Action,
  { context, failure }: Failed,
): Promise<Progress> {
  const { memory } = outbox;
  const decision = decideRefusal({
    kind: failure.kind,
    status: statusOf(failure),
    isLocked: isLocked(failure),
    isOptional: ACTION_TRAITS[action.kind].isOptional,
  });
  const isFinal =
    decision === 'refuse' ||
    (decision === 'refuse-if-readable' && (await isReadable(outbox.github, context.repo)));
  if (isFinal) {
    refuseAction(outbox, action, { run: context.run, reason: failure.message });
    return 'moved';
  }
  const ms = failure.kind === 'rate-limited' ? failure.retryAfterMs : undefined;
  if (decision === 'pause-thread') memory.pause('thread', action, { failure, ms: THREAD_PAUSE_MS });
  else memory.pause('repository', action, { failure, ms: ms ?? REPOSITORY_PAUSE_MS });
  return 'waits';
}

/** Handles a 400, 409 or 422. The pull request may already exist and be ours. A review is retried without line comments. */
async function handleConflict(
  outbox: Posting,
  action: Action,
  { context, failure }: Failed,
): Promise<Progress> {
  if (action.kind === 'open_pull') {
    const found = await createPost(outbox, action, context).find();
    if (found.kind === 'ours') {
      settleAction(outbox, action, { ...found, ...context });
      return 'moved';
    }
    if (found.kind === 'foreign') {
      refuseAction(outbox, action, { run: context.run, reason: explainForeign(found) });
      return 'moved';
    }
    const decision = decideOpenConflict({ sends: action.sends, message: failure.message });
    if (decision === 'retry') {
      keepPlanned(outbox, action);
      outbox.memory.pause('thread', action, { failure, ms: outbox.windowMs / 4 });
    }
    if (decision !== 'refuse') return 'waits';
  }
  if (action.kind === 'post_review' && action.payload === null) {
    const text = renderBodyOnly(outbox, context);
    if (text !== undefined) keepPlanned(outbox, { ...action, payload: { text } });
    // If GitHub does not accept a review, MergeXO posts its text as a comment.
    else
      refuseAction(
        outbox,
        { ...action, payload: renderWhole(outbox, context) },
        { run: context.run, reason: failure.message },
      );
  } else refuseAction(outbox, action, { run: context.run, reason: failure.message });
  return 'moved';
}

/** Returns the action to `planned`, or drops it if its turn has ended. */
function keepPlanned(outbox: Posting, action: Action): void {
  const { state } = outbox;
  if (state.readAction(action.id)?.state !== 'sending') return;
  const turn = action.turnKey === null ? undefined : state.readTurn(action.turnKey);
  if (turn !== undefined && !isLive(turn)) dropAction(outbox, action, turn);
  else state.transaction(() => markPlanned(outbox, action));
}

function renderWhole(outbox: Posting, { review }: PostContext): { text: string } | null {
  return review === undefined ? null : { text: renderPost(outbox, review).body };
}

import { ACTION_TRAITS, type Action } from '@mergexo/core/actions';
import type { Failure } from '@mergexo/core/basics';
import { decideOpenConflict, decideRefusal } from '@mergexo/core/outbox';
import { isLive } from '@mergexo/core/turns';
import { statusOf } from '@mergexo/github';
import { markPlanned } from '../lifecycle/action.js';
import { isReadable } from '../threads/find-issue.js';
import type { Posting, Progress } from './posting.js';
import { createPost } from './posts/create-post.js';
import type { PostContext } from './posts/post.js';
import { renderBodyOnly, renderPost } from './posts/review-posts.js';
import { dropAction, refuseAction, settleAction } from './settle-action.js';

type Failed = { context: PostContext; failure: Failure };

const REPOSITORY_PAUSE_MS = 60_000;
const THREAD_PAUSE_MS = 5_000;

/** GitHub refused the request, or did not say whether it applied it. */
export async function handleSendFailure(outbox: Posting, action: Action, failed: Failed): Promise<Progress> {
  const { failure } = failed;
  switch (failure.kind) {
    case 'conflict':
      return handleConflict(outbox, action, failed);
    case 'rate-limited':
    case 'unauthorized':
    case 'not-found':
      // Refused before it was applied, as if it had not been sent.
      keepPlanned(outbox, action);
      return pauseOrRefuse(outbox, { ...action, state: 'planned' }, failed);
    case 'unavailable':
    case 'timed-out':
    case 'unknown-outcome':
    case 'invalid-data':
      outbox.log.warn(
        { action: action.kind, err: failure },
        'the outcome of a write is unknown; looking for it',
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
    isLocked: /\block(ed)?\b/i.test(describeCause(failure)),
    isOptional: ACTION_TRAITS[action.kind].isOptional,
  });
  const isFinal =
    decision === 'refuse' ||
    (decision === 'refuse-if-readable' && (await isReadable(outbox.github, context.repo)));
  if (isFinal) {
    refuseAction(outbox, action, context.run, failure.message);
    return 'moved';
  }
  const ms = failure.kind === 'rate-limited' ? failure.retryAfterMs : undefined;
  if (decision === 'pause-thread') memory.pause('thread', action, { failure, ms: THREAD_PAUSE_MS });
  else memory.pause('repository', action, { failure, ms: ms ?? REPOSITORY_PAUSE_MS });
  return 'waits';
}

/** 409 or 422: the pull request may exist already and be ours, and a review is tried without lines. Anything else is final. */
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
    const decision = decideOpenConflict({ sends: action.sends, message: failure.message });
    if (decision === 'retry') {
      keepPlanned(outbox, action);
      outbox.memory.pause('thread', action, { failure, ms: outbox.windowMs / 4 });
    }
    if (decision !== 'refuse') return 'waits';
  }
  const words =
    action.kind === 'post_review' && action.words === null ? renderBodyOnly(outbox, context) : undefined;
  if (words !== undefined) keepPlanned(outbox, { ...action, words });
  else refuseAction(outbox, withWords(outbox, action, context), context.run, failure.message);
  return 'moved';
}

/** As if it had not been sent, unless its turn has ended since. */
function keepPlanned(outbox: Posting, action: Action): void {
  const { state } = outbox;
  if (state.readAction(action.id)?.state !== 'sending') return;
  const turn = action.turnKey === null ? undefined : state.readTurn(action.turnKey);
  if (turn !== undefined && !isLive(turn)) dropAction(outbox, action, turn);
  else state.transaction(() => markPlanned(outbox, action));
}

/** A review that GitHub does not accept is posted as a comment instead. */
function withWords(outbox: Posting, action: Action, { review }: PostContext): Action {
  if (action.kind !== 'post_review' || action.words !== null || review === undefined) return action;
  return { ...action, words: renderPost(outbox, review).body };
}

function describeCause({ message, cause }: Failure): string {
  return cause instanceof Error ? `${message} ${cause.message}` : message;
}

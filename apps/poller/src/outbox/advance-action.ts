import { ACTION_TRAITS, type Action } from '@mergexo/core/actions';
import { Failure } from '@mergexo/core/basics';
import { decideAfterFind, decidePostStep } from '@mergexo/core/outbox';
import { isLive } from '@mergexo/core/turns';
import { isInRebuildWindow, wasOutdated } from '../lifecycle/database-age.js';
import { isIgnored } from '../lifecycle/takeover.js';
import { pauseOrRefuse } from './handle-failure.js';
import type { Posting, Progress } from './posting.js';
import { createPost } from './posts/create-post.js';
import { explainForeign, type Found, type PostContext } from './posts/post.js';
import { readPostContext } from './read-post-context.js';
import { sendIfAllowed } from './send-action.js';
import { dropAction, refuseAction, settleAction } from './settle-action.js';

/** Advances the first unsettled action of a thread by one step. */
export async function advance(outbox: Posting, action: Action): Promise<Progress> {
  const context = readPostContext(outbox, action);
  if (context === undefined) return 'waits';
  const step = decidePostStep({
    isSending: action.state === 'sending',
    isTurnLive: context.turn && isLive(context.turn),
    isPaused: outbox.memory.isPaused(action),
    waitsForPerson:
      ACTION_TRAITS[action.kind].waitsForPeople && context.pull !== undefined && isIgnored(context.pull),
    isCatchingUp: context.turn === undefined && isInRebuildWindow(outbox, context.repo),
    isDeadLink: action.kind === 'thread_link' && context.generalUrl === null,
    isLookTooEarly: outbox.memory.isLookTooEarly(action),
    mayBePosted: mayBePosted(outbox, action),
  });
  switch (step) {
    case 'wait':
      return 'waits';
    case 'drop':
      return drop(outbox, action, context);
    case 'refuse':
      refuseAction(outbox, action, { run: context.run, reason: 'the general comment was not posted' });
      return 'moved';
    case 'find':
    case 'send':
      try {
        const post = createPost(outbox, action, context);
        if (step === 'send') return await sendIfAllowed(outbox, action, { post, context });
        const startedAt = outbox.monotonicNow();
        const found = await post.find();
        return await follow(outbox, action, { post, context, found, startedAt });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        return await pauseOrRefuse(outbox, action, { context, failure: error });
      }
  }
}

/** True if the post may already be on GitHub, for example because the database was restored from an older copy. */
function mayBePosted(outbox: Posting, action: Action): boolean {
  const { kind, turnKey, repoId } = action;
  return (
    turnKey === null ||
    ACTION_TRAITS[kind].isLookedFor ||
    outbox.memory.isInherited(action) ||
    wasOutdated(outbox, repoId)
  );
}

type Look = { post: ReturnType<typeof createPost>; context: PostContext; found: Found; startedAt: number };

async function follow(outbox: Posting, action: Action, look: Look): Promise<Progress> {
  const { post, context, found, startedAt } = look;
  const { memory, windowMs } = outbox;
  const quietSince = memory.quietSince(action);
  const decision = decideAfterFind({
    found: found.kind,
    isSending: action.state === 'sending',
    isTurnLive: context.turn && isLive(context.turn),
    quietMs: startedAt - quietSince,
    windowMs,
  });
  switch (decision) {
    case 'settle':
      if (found.kind === 'ours') settleAction(outbox, action, { ...found, ...context });
      return 'moved';
    case 'refuse':
      if (found.kind === 'foreign')
        refuseAction(outbox, action, { run: context.run, reason: explainForeign(found) });
      return 'moved';
    case 'wait':
      memory.lookAgain(action, quietSince + windowMs);
      return 'waits';
    case 'drop':
      return drop(outbox, action, context);
    case 'send':
      return sendIfAllowed(outbox, action, { post, context });
  }
}

function drop(outbox: Posting, action: Action, { turn }: PostContext): Progress {
  if (turn !== undefined) dropAction(outbox, action, turn);
  return 'moved';
}

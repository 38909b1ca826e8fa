import { type Action, Failure, failpoint, isLive, LIVE_STATES } from '@mergexo/core';
import { statusOf } from '@mergexo/github';
import { markPlanned, markSending } from '../lifecycle/action.js';
import { isSettlingIn, wasOutdated } from '../lifecycle/database-age.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { isIgnored } from '../lifecycle/takeover.js';
import { isReadable } from '../threads/find-issue.js';
import { checkBeforePosting } from './check-before-posting.js';
import { chooseNext, repoKey, threadOf } from './choose-next.js';
import type { OutboxTools } from './outbox-tools.js';
import { createPost } from './posts/create-post.js';
import type { Post, PostContext } from './posts/post.js';
import { renderBodyOnly, renderPost } from './posts/review-posts.js';
import { readPostContext } from './read-post-context.js';
import { dropAction, refuseAction, settleAction } from './settle-action.js';

const HOUR = 3_600_000;
const MAX_OPENINGS = 5;
/** The work goes on without them: GitHub may forbid one of them to a token that may do all the rest. */
const OPTIONAL: readonly Action['kind'][] = [
  'rerun_checks',
  'review_status',
  'review_failed_status',
  'resolve_thread',
  'escalation_label',
  'escalation_unlabel',
  'review_request',
];
const WAIT_FOR_PEOPLE: readonly Action['kind'][] = ['redirect', 'reviewer_notice'];
/** A branch has one pull request and a head one review, whatever our records say. */
const LOOKED_FOR: readonly Action['kind'][] = ['open_pull', 'rerun_checks', 'post_review'];

export type Outbox = { drain(): Promise<void> };

/**
 * Says what frozen plans planned, in order per thread, and nothing twice. `sending` is on disk before a request leaves;
 * whatever is found `sending` may have been applied, and is sent again only if a complete listing that began after the
 * window does not show it. Waiting holds up no other thread.
 */
export function createOutbox(tools: OutboxTools): Outbox {
  /** When the last request for an action ended, on the monotonic clock; after a restart, the restart. */
  const requestEnded = new Map<string, number>();
  const startedAt = tools.monotonicNow();
  /** A few looks during the window are enough; each costs requests. */
  const nextLook = new Map<string, number>();
  /** Turns from before the start: a restored copy of the database does not know what was posted for them since. */
  const inherited = new Set(
    LIVE_STATES.flatMap((state) => tools.state.listTurnsInState(state)).map(({ turnKey }) => turnKey),
  );
  const pausedUntil = new Map<string, number>();
  const pauseReasons = new Map<string, string>();
  let recentWrites: number[] = [];

  const isOverBudget = (): boolean => {
    recentWrites = recentWrites.filter((time) => time > tools.monotonicNow() - HOUR);
    return recentWrites.length >= tools.writesPerHour;
  };

  const advance = async (action: Action): Promise<'moved' | 'waits'> => {
    const context = readPostContext(tools, action);
    if (context === undefined || isPaused(action)) return 'waits';
    // A person has taken over: what was not said yet waits with the rest.
    if (WAIT_FOR_PEOPLE.includes(action.kind) && context.pull !== undefined && isIgnored(context.pull))
      return 'waits';
    // A notice may be there from before the loss of the records, where lists do not show it yet.
    if (action.state === 'planned' && context.turn === undefined && isSettlingIn(tools, context.repo))
      return 'waits';
    if (action.state === 'planned' && context.turn !== undefined && !isLive(context.turn)) {
      dropAction(tools, action, context.turn);
      return 'moved';
    }
    if (action.kind === 'thread_link' && action.state === 'planned' && context.generalUrl === null) {
      refuseAction(tools, action, context.run, 'the general comment was not posted');
      return 'moved';
    }
    try {
      const lookedAt = tools.monotonicNow();
      if ((nextLook.get(action.id) ?? 0) > lookedAt) return 'waits';
      const post = createPost(tools, action, context);
      if (action.state === 'planned' && !mayBePosted(action))
        return await sendIfAllowed(post, action, context);
      const found = await post.find();
      if (found.kind === 'ours') {
        settleAction(tools, action, { ...found, ...context });
        return 'moved';
      }
      if (found.kind === 'foreign') {
        refuseAction(tools, action, context.run, `another pull request uses the branch: ${found.url}`);
        return 'moved';
      }
      const quietSince = requestEnded.get(action.id) ?? startedAt;
      if (action.state === 'sending' && lookedAt - quietSince < tools.windowMs) {
        nextLook.set(action.id, Math.min(quietSince + tools.windowMs, lookedAt + tools.windowMs / 4));
        return 'waits';
      }
      // Its turn has ended meanwhile: it was not sent, and it will not be.
      if (context.turn !== undefined && !isLive(context.turn)) {
        dropAction(tools, action, context.turn);
        return 'moved';
      }
      return await sendIfAllowed(post, action, context);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return await handleTrouble(action, context, error);
    }
  };

  /** Posted before the database was lost, or after the copy was made that was restored. Actions of new turns are new. */
  const mayBePosted = ({ kind, turnKey, repoId }: Action): boolean =>
    turnKey === null || LOOKED_FOR.includes(kind) || inherited.has(turnKey) || wasOutdated(tools, repoId);

  /** The world may have moved since it was planned, and also since it was sent in vain. */
  const sendIfAllowed = async (
    post: Post,
    action: Action,
    context: PostContext,
  ): Promise<'moved' | 'waits'> => {
    if (await checkBeforePosting(tools, action, context)) return send(post, action, context);
    nextLook.set(action.id, tools.monotonicNow() + tools.windowMs / 4);
    return 'waits';
  };

  const send = async (post: Post, action: Action, context: PostContext): Promise<'moved' | 'waits'> => {
    const sending = tools.state.transaction(() => {
      // It may have been dropped, or its turn may have ended, while we looked.
      if (tools.state.readAction(action.id)?.state !== action.state) return undefined;
      if (action.turnKey !== null && tools.state.readTurn(action.turnKey)?.state !== 'speaking')
        return undefined;
      const claimed = markSending(tools, action, post.token);
      recordEvents(tools, [
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
    });
    if (sending === undefined) return 'waits';
    failpoint('poller:action-sending');
    try {
      const sent = await post.send();
      failpoint('poller:action-answered');
      settleAction(tools, sending, { ...sent, ...context });
      return 'moved';
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return await handleFailure(sending, context, error);
    } finally {
      requestEnded.set(action.id, tools.monotonicNow());
      recentWrites.push(tools.monotonicNow());
      await tools.sleep(tools.spacingMs);
    }
  };

  const handleFailure = async (
    action: Action,
    context: PostContext,
    failure: Failure,
  ): Promise<'moved' | 'waits'> => {
    switch (failure.kind) {
      case 'conflict':
        return handleConflict(action, context, failure);
      case 'rate-limited':
      case 'unauthorized':
      case 'not-found':
        // Refused before it was applied: it is as if it had not been sent.
        keepPlanned(action);
        return handleTrouble({ ...action, state: 'planned' }, context, failure);
      default:
        tools.log.warn(
          { action: action.kind, err: failure },
          'the outcome of a write is unknown; looking for it',
        );
        return 'waits';
    }
  };

  /** Whose trouble is it? The token's and the repository's hold everything of it up; a thread's only the thread. */
  const handleTrouble = async (
    action: Action,
    context: PostContext,
    failure: Failure,
  ): Promise<'moved' | 'waits'> => {
    if (failure.kind === 'rate-limited') {
      pause(repoKey(action), action, failure, failure.retryAfterMs ?? 60_000);
      return 'waits';
    }
    if (failure.kind !== 'unauthorized' && failure.kind !== 'not-found') {
      pause(threadOf(action), action, failure, 5_000);
      return 'waits';
    }
    if (OPTIONAL.includes(action.kind) && statusOf(failure) !== 401) {
      refuseAction(tools, action, context.run, failure.message);
      return 'moved';
    }
    // Where the same token reads the repository, a refusal is about the thread and final: deleted, locked, transferred.
    if (saysNothingOfThread(failure) || !(await isReadable(tools.github, context.repo))) {
      pause(repoKey(action), action, failure, 60_000);
      return 'waits';
    }
    refuseAction(tools, action, context.run, failure.message);
    return 'moved';
  };

  /** 422: a pull request may be ours that is there already, and a review is tried without lines; anything else is final. */
  const handleConflict = async (
    action: Action,
    context: PostContext,
    failure: Failure,
  ): Promise<'moved' | 'waits'> => {
    if (action.kind === 'open_pull') {
      const found = await createPost(tools, action, context).find();
      if (found.kind === 'ours') {
        settleAction(tools, action, { ...found, ...context });
        return 'moved';
      }
      // It is there, but the list does not show it yet: wait and look again.
      if (/already exists/i.test(failure.message)) return 'waits';
      // Right after the push GitHub may not know the branch yet.
      if (action.sends < MAX_OPENINGS) {
        keepPlanned(action);
        pause(threadOf(action), action, failure, tools.windowMs / 4);
        return 'waits';
      }
    }
    const words =
      action.kind === 'post_review' && action.words === null ? renderBodyOnly(tools, context) : undefined;
    if (words !== undefined) keepPlanned({ ...action, words });
    else refuseAction(tools, withWords(tools, action, context), context.run, failure.message);
    return 'moved';
  };

  /** As if it had not been sent, unless its turn ended meanwhile. */
  const keepPlanned = (action: Action): void => {
    if (tools.state.readAction(action.id)?.state !== 'sending') return;
    const turn = action.turnKey === null ? undefined : tools.state.readTurn(action.turnKey);
    if (turn !== undefined && !isLive(turn)) dropAction(tools, action, turn);
    else tools.state.transaction(() => markPlanned(tools, action));
  };

  const isPaused = (action: Action): boolean =>
    [repoKey(action), threadOf(action)].some((key) => (pausedUntil.get(key) ?? 0) > tools.monotonicNow());

  /** Recorded once per cause; the looks that follow would only repeat it. */
  const pause = (key: string, { repoId, thread }: Action, failure: Failure, ms: number): void => {
    pausedUntil.set(key, tools.monotonicNow() + ms);
    if (pauseReasons.get(key) === failure.message) return;
    pauseReasons.set(key, failure.message);
    const payload = { seconds: Math.ceil(ms / 1_000), reason: failure.message };
    tools.state.transaction(() =>
      recordEvents(tools, [{ type: 'outbox_paused', repoId, issueNumber: thread, payload }]),
    );
  };

  let lastRepo = 0;
  return {
    async drain() {
      const waiting = new Set<string>();
      for (;;) {
        const next = chooseNext(tools.state.listUnsettledActions(), waiting, lastRepo);
        if (next === undefined || isOverBudget() || tools.isStopping()) return;
        lastRepo = next.repoId;
        if ((await advance(next)) === 'waits') waiting.add(threadOf(next));
      }
    },
  };
}

/** A review that GitHub does not take is said as a comment. */
function withWords(tools: OutboxTools, action: Action, { review }: PostContext): Action {
  if (action.kind !== 'post_review' || action.words !== null || review === undefined) return action;
  return { ...action, words: renderPost(tools, review).body };
}

/** A refused token, a lost permission or an archived repository may be mended; a locked or deleted thread is final. */
function saysNothingOfThread(failure: Failure): boolean {
  const status = statusOf(failure);
  return status === 401 || (status === 403 && !/\block(ed)?\b/i.test(describeCause(failure)));
}

function describeCause({ message, cause }: Failure): string {
  return cause instanceof Error ? `${message} ${cause.message}` : message;
}

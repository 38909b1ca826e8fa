import { type Action, replyTargetOf } from '@mergexo/core/actions';
import type { Meta } from '@mergexo/core/outbox';
import { renderRunName } from '@mergexo/core/runs';
import { coverEvents } from '@mergexo/core/turns';
import { fallbackTargetOf } from '../../lifecycle/end-turn.js';
import type { PostContext } from './post.js';

/** What the signed line of an action says: after the loss of the database it tells what was done and answered. */
export function buildMeta(action: Action, context: PostContext): Meta {
  const { run, turn, review } = context;
  const head = headOf(action, context);
  const about = {
    ...(run && { run: renderRunName(run) }),
    kind: action.kind,
    target: action.target,
    index: '0',
  };
  // Its own target names a row of our database, which means nothing once that is lost.
  if (turn === undefined) {
    const wait = action.kind === 'wait_comment' ? describeWait(context) : {};
    const accepted = action.kind === 'unblock_notice' ? findAcceptedHead(action) : undefined;
    const target = `thread:${action.thread}`;
    return { ...about, target, cause: action.id, ...wait, ...(accepted !== undefined && { head: accepted }) };
  }
  const events = listAnswered(action, context);
  return {
    ...about,
    turn: turn.turnKey,
    ...(events.length > 0 && { events: events.join(',') }),
    ...(head !== undefined && { head }),
    ...(review?.round !== undefined && { cycle: String(review.round.fixCycle) }),
    // What was said up to here is part of the work, also after the loss of the database.
    ...(context.start !== undefined && { gate: String(context.start.consumedUpTo) }),
  };
}

/** How far the comments of the issue were consumed, and the commit that the work resumes from. */
function describeWait({ run, followup }: PostContext): Meta {
  const head = followup?.context.checkpoint?.sha;
  return { gate: String(run?.runStartCommentId ?? 0), ...(head !== undefined && { head }) };
}

/** Our own words name it, if an operator did. */
function findAcceptedHead({ words }: Action): string | undefined {
  return /\b([0-9a-f]{40}) is the accepted head now\./.exec(words ?? '')?.[1];
}

/** The commit that the words are about: what was pushed, or what a wait goes on from. */
function headOf(action: Action, { plan, start, review }: PostContext): string | undefined {
  const pushed = plan?.commit?.sha;
  if (action.kind === 'wait_comment') return pushed ?? start?.followup?.checkpoint?.sha;
  if (review !== undefined) return review.context.headSha;
  return start === undefined ? pushed : undefined;
}

/** The events that this comment answers, without the number of the pull request: after the loss of the database they tell. */
function listAnswered(action: Action, { plan, feedback }: PostContext): string[] {
  // A link answers nothing itself: the general comment that it leads to does.
  if (feedback === undefined || plan?.result.kind !== 'answer' || action.kind === 'thread_link') return [];
  const { byReply, byGeneral } = coverEvents(feedback.events, plan.result);
  const target = replyTargetOf(action) ?? fallbackTargetOf(action);
  const keys = target === undefined ? byGeneral : (byReply.get(target) ?? []);
  return keys.map((key) => key.slice(key.indexOf(':') + 1));
}

import { type Action, parseTarget } from '@mergexo/core/actions';
import { renderAnsweredKeys } from '@mergexo/core/feedback';
import type { Meta } from '@mergexo/core/outbox';
import { renderRunName } from '@mergexo/core/runs';
import { coverEvents } from '@mergexo/core/turns';
import type { PostContext } from './post.js';

/** Builds the signed fields of a post. After a database loss, MergeXO reads its earlier work from these fields. */
export function buildMeta(action: Action, context: PostContext): Meta {
  const { run, turn, review } = context;
  const head = headOf(action, context);
  const about = {
    ...(run && { run: renderRunName(run) }),
    kind: action.kind,
    target: action.target,
    index: '0',
  };
  // A notice's own target contains a database id, which is meaningless after a database loss.
  if (turn === undefined) {
    const wait = action.kind === 'wait_comment' ? describeWait(context) : {};
    const accepted = action.kind === 'unblock_notice' ? action.payload.acceptedHeadSha : null;
    const target = `thread:${action.thread}`;
    return { ...about, target, cause: action.id, ...wait, ...(accepted !== null && { head: accepted }) };
  }
  const events = listAnswered(action, context);
  const branch = action.kind === 'wait_comment' ? checkpointOf(context)?.branch : undefined;
  return {
    ...about,
    turn: turn.turnKey,
    ...(events.length > 0 && { events: renderAnsweredKeys(events) }),
    ...(head !== undefined && { head }),
    ...(branch !== undefined && { branch }),
    ...(review?.round !== undefined && { cycle: String(review.round.fixCycle) }),
    // After a database loss, comments up to this id count as handled.
    ...(context.start !== undefined && { gate: String(context.start.consumedUpTo) }),
  };
}

/** Returns the last handled comment of the issue, and the commit from which the work resumes. */
function describeWait({ run, followup }: PostContext): Meta {
  const checkpoint = followup?.context.checkpoint;
  return {
    gate: String(run?.runStartCommentId ?? 0),
    ...(checkpoint && { head: checkpoint.sha, branch: checkpoint.branch }),
  };
}

/** Returns the commit from which waiting work resumes. */
function checkpointOf({ plan, start }: PostContext): { branch: string; sha: string } | null | undefined {
  return plan?.commit ?? start?.followup?.checkpoint;
}

/** Returns the commit that the post is about: the pushed or reviewed commit, or the checkpoint of waiting work. */
function headOf(action: Action, context: PostContext): string | undefined {
  const { plan, start, review } = context;
  const pushed = plan?.commit?.sha;
  if (action.kind === 'wait_comment') return checkpointOf(context)?.sha;
  if (review !== undefined) return review.context.headSha;
  return start === undefined ? pushed : undefined;
}

/** Returns the events that this comment answers. */
function listAnswered(action: Action, { plan, feedback }: PostContext): readonly string[] {
  // A thread link answers no events, because it only points to the general comment.
  if (feedback === undefined || plan?.result.kind !== 'answer' || action.kind === 'thread_link') return [];
  const { byReply, byGeneral } = coverEvents(feedback.events, plan.result);
  const target = parseTarget(action.target);
  const isReply = target.kind === 'review' || target.kind === 'instead-of-reply';
  const keys = isReply ? (byReply.get(target.commentId) ?? []) : byGeneral;
  return keys;
}

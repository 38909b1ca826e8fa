import type { FeedbackEventContext } from './feedback-context.js';

export type Answers = {
  replies: readonly { commentId: number }[];
  general: string | null;
};

type Event = Pick<FeedbackEventContext, 'key' | 'kind' | 'id'>;
type PlacedEvent = Pick<FeedbackEventContext, 'key' | 'kind' | 'id' | 'rootId'>;

export type Coverage = {
  /** The events that each reply answers, by comment id. */
  byReply: ReadonlyMap<number, readonly string[]>;
  byGeneral: readonly string[];
  uncovered: readonly string[];
  /** Ids of comments that the agent replied to, but that are not part of the turn. */
  unknownComments: readonly number[];
};

/** Assigns every event to exactly one post: its own reply, or the general comment. */
export function coverEvents(events: readonly Event[], answers: Answers): Coverage {
  const repliedTo = new Set(answers.replies.map(({ commentId }) => commentId));
  const isReplied = (event: Event): boolean => event.kind === 'review' && repliedTo.has(event.id);
  const rest = events.filter((event) => !isReplied(event)).map(({ key }) => key);
  const known = new Set(events.filter(({ kind }) => kind === 'review').map(({ id }) => id));
  const byReply = new Map(
    [...repliedTo].map((id) => [
      id,
      events.filter((event) => event.kind === 'review' && event.id === id).map(({ key }) => key),
    ]),
  );
  return {
    byReply,
    byGeneral: answers.general === null ? [] : rest,
    uncovered: answers.general === null ? rest : [],
    unknownComments: [...repliedTo].filter((id) => !known.has(id)),
  };
}

/**
 * Returns the first comments of review threads that only the general comment answers. Each thread gets a link to the
 * general comment, which remains the one action that covers the events.
 */
export function listLinkedThreads(events: readonly PlacedEvent[], answers: Answers): number[] {
  const { byGeneral } = coverEvents(events, answers);
  const roots = events
    .filter(({ kind, key }) => kind === 'review' && byGeneral.includes(key))
    .map(({ id, rootId }) => rootId ?? id);
  return [...new Set(roots)];
}

/** Explains missing answers so that an agent can fix them; empty if the answer is complete. */
export function explainGaps(events: readonly Event[], answers: Answers): string[] {
  const { uncovered, unknownComments } = coverEvents(events, answers);
  return [
    ...unknownComments.map((id) => `review_replies: comment ${id} is not one of the new review comments`),
    ...events
      .filter(({ key }) => uncovered.includes(key))
      .map(({ kind, id }) =>
        kind === 'review'
          ? `review comment ${id} has neither a reply nor a general_comment that answers it`
          : `general_comment must answer the ${kind === 'issue' ? 'comment' : kind} ${id}`,
      ),
  ];
}

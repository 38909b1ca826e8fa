/** The kinds of subjects that MergeXO reacts to: an issue, a comment in a conversation, and a comment on a line. */
export const REACTION_SUBJECTS = ['issue', 'comment', 'review'] as const;
export type ReactionSubjectKind = (typeof REACTION_SUBJECTS)[number];

/**
 * The reactions that MergeXO uses: picked up, answered, blocked. 👀 stays when another one joins it, because its removal
 * would cost a request. Of the others, GitHub shows at most one.
 */
export const REACTIONS = ['eyes', 'rocket', 'confused'] as const;
export type Reaction = (typeof REACTIONS)[number];

/** What MergeXO knows about the reactions of its own login to one subject. */
export type ReactionRecord = {
  /** The reaction that GitHub has confirmed. */
  shown: Reaction | null;
  /** Its id if MergeXO created it; null if a person with the same login may have. */
  shownId: number | null;
  /** The id of an earlier reaction that MergeXO created and must remove, or is removing. */
  staleId: number | null;
  /** The reaction that MergeXO was adding. After a crash, GitHub may have it. */
  sending: Reaction | null;
};

export const NO_REACTION: ReactionRecord = { shown: null, shownId: null, staleId: null, sending: null };

/** `keep`: MergeXO neither adds nor removes a reaction. */
export type WantedReaction = Reaction | null | 'keep';

export type ReactionStep =
  | { kind: 'add'; content: Reaction }
  /** Removes a reaction that MergeXO created. */
  | { kind: 'remove'; id: number }
  | { kind: 'none' };

/**
 * Decides the next request that brings the reaction to the wanted state. The new reaction comes before the removal of
 * the old one, so that the comment always shows a sign. If no reaction is wanted, removes the one that is shown.
 */
export function decideReactionStep(record: ReactionRecord, wanted: WantedReaction): ReactionStep {
  const { shown, shownId, staleId, sending } = record;
  // Repeats an interrupted request even for an outdated reaction, because only the response has the id to remove.
  if (sending !== null) return { kind: 'add', content: sending };
  if (staleId !== null) return { kind: 'remove', id: staleId };
  if (wanted === 'keep' || wanted === shown) return { kind: 'none' };
  if (wanted !== null) return { kind: 'add', content: wanted };
  return shownId === null ? { kind: 'none' } : { kind: 'remove', id: shownId };
}

/**
 * Records an added reaction. If GitHub had it before MergeXO first tried to add it, a person may have added it with
 * the same login, so MergeXO never removes it. `isRetry`: an earlier request was interrupted.
 */
export function noteAdded(
  { shown, shownId }: ReactionRecord,
  content: Reaction,
  { id, isNew, isRetry }: { id: number; isNew: boolean; isRetry: boolean },
): ReactionRecord {
  const staleId = shown === 'eyes' ? null : shownId;
  return { shown: content, shownId: isNew || isRetry ? id : null, staleId, sending: null };
}

/**
 * Records that MergeXO is about to remove a reaction. Saved before the request: if its response is lost, MergeXO must
 * not believe that GitHub still shows the reaction.
 */
export function noteRemoving(record: ReactionRecord, id: number): ReactionRecord {
  return { ...record, ...(record.shownId === id && { shown: null, shownId: null }), staleId: id };
}

/** Records that MergeXO or a person has removed a reaction. */
export function noteRemoved(record: ReactionRecord): ReactionRecord {
  return { ...record, staleId: null };
}

export { decideCommentReaction, decideIssueReaction } from './decide-reaction.js';
export { decideSignFailure } from './decide-sign-failure.js';
export type { StageFacts } from './describe-stage.js';
export {
  decideReactionStep,
  NO_REACTION,
  noteAdded,
  noteRemoved,
  noteRemoving,
  REACTION_SUBJECTS,
  REACTIONS,
  type Reaction,
  type ReactionRecord,
  type ReactionSubjectKind,
  type WantedReaction,
} from './reaction.js';
export { renderStatus, type StatusFacts, type StatusText } from './render-status.js';
export { computeStatusId, STATUS_KIND } from './status-id.js';

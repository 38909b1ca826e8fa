import { placeOfRemark, type SigningKeys, verifyBody } from '@mergexo/core/outbox';
import { readEditedFinding } from '@mergexo/core/review';
import type { ReviewFixContext } from '@mergexo/core/turns';
import type { Pull, StoredFinding, StoredRound } from '@mergexo/state';
import type { Records } from '../tools.js';
import type { Snapshot } from './list-pull.js';

/** Returns the round's findings, except dismissed ones, with their current text on GitHub. */
export function listAsked(
  { state }: Pick<Records, 'state'>,
  { repoId, prNumber }: Pull,
  { round, comments }: { round: Pick<StoredRound, 'id'>; comments: Snapshot['reviewComments'] },
): ReviewFixContext['findings'] {
  return state
    .listReviewFindings(repoId, prNumber)
    .filter(({ lastRoundId, status }) => lastRoundId === round.id && status !== 'dismissed')
    .map((finding) => toAsked(finding, comments));
}

/** Describes a finding for the agent. The text of an edited comment replaces the body and the suggestion. */
function toAsked(finding: StoredFinding, comments: Snapshot['reviewComments']) {
  const { id, path, startLine, line, severity, category, body, suggestion, remoteId } = finding;
  const comment = comments.find((other) => other.id === remoteId);
  const edited = comment && readEditedFinding(finding, comment.body);
  const text = edited === undefined ? { body, suggestion } : { body: edited, suggestion: null };
  return { id, path, startLine, line, severity, category, ...text };
}

/** Returns the review text on GitHub without our signature, or the stored summary if the review is missing. */
export function findReview(
  { keys }: { keys: SigningKeys },
  pull: Pull,
  { round, reviews }: { round: StoredRound; reviews: Snapshot['reviews'] },
): ReviewFixContext['review'] {
  const found = reviews.find(({ id }) => id === round.remoteId);
  const place = placeOfRemark(pull.repoId, { thread: pull.prNumber, rootId: null });
  const body = found && (verifyBody(found.body, place, keys)?.body ?? found.body);
  return { body: body ?? round.summary ?? '', url: found?.url ?? pull.url ?? '' };
}

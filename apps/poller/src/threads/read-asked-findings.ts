import { placeOfRemark, type SigningKeys, verifyBody } from '@mergexo/core/outbox';
import { readEditedFinding } from '@mergexo/core/review';
import type { ReviewFixContext } from '@mergexo/core/turns';
import type { Pull, StoredFinding, StoredRound } from '@mergexo/state';
import type { Records, Repo } from '../tools.js';
import type { Snapshot } from './list-pull.js';

/** All that the round raised and nobody took back, whether it blocks or not, as it reads on GitHub now. */
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

/** People edit findings: their text counts, and a suggestion is part of it. */
function toAsked(finding: StoredFinding, comments: Snapshot['reviewComments']) {
  const { id, path, line, severity, category, body, suggestion, remoteId } = finding;
  const comment = comments.find((other) => other.id === remoteId);
  const edited = comment && readEditedFinding(finding, comment.body);
  const text = edited === undefined ? { body, suggestion } : { body: edited, suggestion: null };
  return { id, path, line, severity, category, ...text };
}

/** As it stands on GitHub, without our closing lines; else what we remember of it. */
export function findReview(
  { keys }: { keys: SigningKeys },
  repo: Repo,
  pull: Pull,
  { round, reviews }: { round: StoredRound; reviews: Snapshot['reviews'] },
): ReviewFixContext['review'] {
  const found = reviews.find(({ id }) => id === round.remoteId);
  const place = placeOfRemark(repo.id, { thread: pull.prNumber, rootId: null });
  const body = found && (verifyBody(found.body, place, keys)?.body ?? found.body);
  return { body: body ?? round.summary ?? '', url: found?.url ?? pull.url ?? '' };
}

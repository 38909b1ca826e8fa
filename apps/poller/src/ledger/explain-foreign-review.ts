import type { Json } from '@mergexo/core/basics';
import { isBlocking, listUnresolved } from '@mergexo/core/review';
import { ReviewContext, type ReviewResult } from '@mergexo/core/turns';

/** Returns why a review does not match its turn; undefined if it matches. */
export function explainForeignReview(context: Json, result: ReviewResult): string | undefined {
  const { headSha, earlier, round, policy } = ReviewContext.parse(context);
  if (result.headSha !== headSha) return `the review is of ${result.headSha}, not of ${headSha}`;
  const names = new Map(earlier.map(({ id, fingerprint }) => [id, fingerprint]));
  const known = new Set(names.values());
  const stranger = result.gone.find((id) => !names.has(id));
  if (stranger !== undefined) return `finding ${stranger} does not belong to this pull request`;
  // The fingerprint must match the continued finding, or be new. Otherwise a finding could replace a dismissed one.
  const forged = result.raised.find(({ earlierId, fingerprint }) =>
    earlierId === null ? known.has(fingerprint) : names.get(earlierId) !== fingerprint,
  );
  if (forged !== undefined)
    return `finding ${forged.fingerprint} does not match the finding that it continues`;
  // A review that does not mention an unresolved blocking finding must not approve the change.
  const answered = new Set([...result.gone, ...result.raised.map(({ earlierId }) => earlierId)]);
  const forgotten = listUnresolved(earlier, round).find(
    (finding) => isBlocking(finding, policy.blockingSeverity) && !answered.has(finding.id),
  );
  return forgotten && `the review does not say whether finding ${forgotten.id} is fixed`;
}

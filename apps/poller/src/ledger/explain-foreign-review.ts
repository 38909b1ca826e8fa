import type { Json } from '@mergexo/core/basics';
import { ReviewContext, type ReviewResult } from '@mergexo/core/turns';

/** Why a review is not about what its turn was opened for; undefined when it is. */
export function explainForeignReview(context: Json, result: ReviewResult): string | undefined {
  const { headSha, earlier } = ReviewContext.parse(context);
  if (result.headSha !== headSha) return `the review is of ${result.headSha}, not of ${headSha}`;
  const names = new Map(earlier.map(({ id, fingerprint }) => [id, fingerprint]));
  const known = new Set(names.values());
  const stranger = result.gone.find((id) => !names.has(id));
  if (stranger !== undefined) return `the finding ${stranger} is none of this pull request`;
  // Who continues a finding has its name, and who is new has another: nobody takes a dismissed one's place.
  const forged = result.raised.find(({ earlierId, fingerprint }) =>
    earlierId === null ? known.has(fingerprint) : names.get(earlierId) !== fingerprint,
  );
  return forged && `the finding ${forged.fingerprint} is not the one that it continues`;
}

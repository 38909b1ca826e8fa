import type { Json } from '@mergexo/core/basics';
import { checkFixAnswer, type Plan, ReviewFixContext, type ReviewFixResult } from '@mergexo/core/turns';

/** Why a fix is not about what its turn was opened for; undefined when it is. */
export function explainForeignFix(
  context: Json,
  result: ReviewFixResult,
  commit: Plan['commit'],
): string | undefined {
  const { findings, headSha } = ReviewFixContext.parse(context);
  if (commit !== null && commit.startSha !== headSha)
    return `the fix is of ${commit.startSha}, not of ${headSha}`;
  // It would be told as pushed, although nothing is.
  if (commit !== null && commit.sha === commit.startSha) return 'the fix has no commits of its own';
  const answered = { findings: result.answers.map(({ id, resolution, note }) => ({ id, resolution, note })) };
  const hasChanges = true;
  if (result.failure === null) return checkFixAnswer({ findings, hasChanges }, answered)[0];
  const asked = new Set(findings.map(({ id }) => id));
  const stranger = result.answers.find(({ id }) => !asked.has(id));
  return stranger && `the finding ${stranger.id} is none of this review`;
}

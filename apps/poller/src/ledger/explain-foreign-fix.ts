import type { Json } from '@mergexo/core/basics';
import { checkFixAnswer, type Plan, ReviewFixContext, type ReviewFixResult } from '@mergexo/core/turns';

/** Returns why a fix does not match its turn; undefined if it matches. */
export function explainForeignFix(
  context: Json,
  result: ReviewFixResult,
  commit: Plan['commit'],
): string | undefined {
  const { findings, headSha } = ReviewFixContext.parse(context);
  if (commit !== null && commit.startSha !== headSha)
    return `the fix starts at ${commit.startSha}, not at ${headSha}`;
  // Without this check, MergeXO would report a push that never happened.
  if (commit !== null && commit.sha === commit.startSha) return 'the fix has no commits of its own';
  const answered = { findings: result.answers.map(({ id, resolution, note }) => ({ id, resolution, note })) };
  if (result.failure === null)
    return checkFixAnswer({ findings, hasChanges: true, mayAskAgain: false }, answered)[0];
  const asked = new Set(findings.map(({ id }) => id));
  const stranger = result.answers.find(({ id }) => !asked.has(id));
  return stranger && `finding ${stranger.id} does not belong to this review`;
}

/**
 * Error texts that earlier versions stored for runs without a pull request, where a person's reply could have
 * helped. MergeXO leaves runs with any other text to the operator, because reviving the wrong run is worse
 * than reviving none.
 */
const BLOCKED_BEFORE_PULL: readonly RegExp[] = [
  /^(?:\w+ )*(?:agent|flow|start) (?:is |was )?blocked\b/i,
  /\bblocked_reason\b/i,
  /\bblocked before (?:opening )?(?:a |the )?(?:pr|pull request)\b/i,
  /\brequired (?:pre-push )?tests (?:did not pass|failed|could not be (?:run|satisfied|repaired))\b/i,
  /\bno (?:changed|staged) (?:files?|changes?)\b/i,
  /\bnew_issue_comments_pending\b/i,
];

/**
 * True if MergeXO may revive the failed run. Checks only the start of the error, which is untrusted and may be long.
 */
export function isAdoptable(run: { status: string; prNumber: number | null; error: string | null }): boolean {
  if (run.status !== 'failed' || run.prNumber !== null || run.error === null) return false;
  const text = run.error.slice(0, 2_000);
  return BLOCKED_BEFORE_PULL.some((signature) => signature.test(text));
}

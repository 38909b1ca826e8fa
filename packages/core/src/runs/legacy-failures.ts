/**
 * How runs that ended before their pull request said that a person's word would have helped. Whatever matches none of
 * these is left alone: better a run that an operator looks at than one that is revived by mistake.
 */
export const BLOCKED_BEFORE_PULL: readonly RegExp[] = [
  /^(?:\w+ )*(?:agent|flow|start) (?:is |was )?blocked\b/i,
  /\bblocked_reason\b/i,
  /\bblocked before (?:opening )?(?:a |the )?(?:pr|pull request)\b/i,
  /\brequired (?:pre-push )?tests (?:did not pass|failed|could not be (?:run|satisfied|repaired))\b/i,
  /\bno (?:changed|staged) (?:files?|changes?)\b/i,
  /\bnew_issue_comments_pending\b/i,
];

/** The text may be anybody's: a long one is looked at only at its start. */
export function isAdoptable(run: { status: string; prNumber: number | null; error: string | null }): boolean {
  if (run.status !== 'failed' || run.prNumber !== null || run.error === null) return false;
  const text = run.error.slice(0, 2_000);
  return BLOCKED_BEFORE_PULL.some((signature) => signature.test(text));
}

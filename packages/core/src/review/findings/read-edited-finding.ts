import { renderFindingText } from '../render-review-post.js';
import type { Finding } from './finding.js';

/** Whoever may edit our comment can make it as long as GitHub takes. */
const MAX_TEXT = 20_000;

/** What people made of a finding on GitHub; undefined while it reads as we posted it. */
export function readEditedFinding(
  finding: Pick<Finding, 'body' | 'suggestion'>,
  comment: string,
): string | undefined {
  const current = normalise(comment);
  // The first paragraph is the badge, which depends on the round.
  const text = current.slice(current.indexOf('\n\n') + 2);
  return text === normalise(renderFindingText(finding)) ? undefined : current.slice(0, MAX_TEXT);
}

function normalise(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}

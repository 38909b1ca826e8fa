import { renderFindingText } from '../render-review-post.js';
import type { Finding } from './finding.js';

/** Maximum length of an edited finding. GitHub allows much longer comments. */
const MAX_TEXT = 20_000;

/** Returns the text of a finding after people edited it on GitHub; undefined if the text is unchanged. */
export function readEditedFinding(
  finding: Pick<Finding, 'body' | 'suggestion'>,
  comment: string,
): string | undefined {
  const current = normalise(comment);
  // Skips the first paragraph, which is the badge and depends on the round.
  const text = current.slice(current.indexOf('\n\n') + 2);
  return text === normalise(renderFindingText(finding)) ? undefined : current.slice(0, MAX_TEXT);
}

function normalise(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}

import type { Redact } from '../text/secrets/redact.js';
import type { ReviewFixResult } from '../turns/fix/review-fix-result.js';
import { containLine, containText, spanCode } from './contain-text.js';

const MAX_NOTE = 8_000;
const MAX_SENTENCE = 400;
const MAX_PATH = 160;

type Answer = ReviewFixResult['answers'][number];

/**
 * Renders the reply in a finding's thread after the push. The reply confirms a fix only if the commit changes the
 * finding's file.
 */
export function renderFindingReply(answer: Answer, sha: string, redact: Redact): string {
  return `${renderOutcome(answer, sha)}\n\n${containText(answer.note, redact, MAX_NOTE)}`;
}

function renderOutcome({ resolution, touchesFile }: Answer, sha: string): string {
  switch (resolution) {
    case 'fixed':
      return touchesFile
        ? `Fixed in ${sha}.`
        : `The agent reported this as fixed, but ${sha} does not change this file. The next review will check it.`;
    case 'wontfix':
      return 'Not changed.';
    case 'disputed':
      return 'The agent disputes this finding.';
  }
}

/** Renders one comment about all findings without a thread. */
export function renderFixSummary(
  answers: readonly (Answer & { path: string; line: number | null })[],
  sha: string,
  redact: Redact,
): string {
  const lines = answers.map((answer) => {
    const { path, line, note } = answer;
    const place = spanCode(`${containLine(path, redact, MAX_PATH)}${line === null ? '' : `:${line}`}`);
    return `- ${place}: ${renderOutcome(answer, sha)} ${containLine(note, redact, MAX_SENTENCE)}`;
  });
  return ['Replies to findings without a thread:', lines.join('\n')].join('\n\n');
}

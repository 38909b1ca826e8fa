import { checkCoverage } from '../review/check-coverage.js';
import type { ReviewFixOutput } from '../review/review-output.js';
import { saysNothing } from '../says-nothing.js';

type Asked = {
  findings: readonly { id: number }[];
  /** True if any file changed. */
  hasChanges: boolean;
  /** False after the repair, because a nearly empty note is better than a failed fix. */
  mayAskAgain: boolean;
};

/** Lists the errors in an answer to a review so that an agent can fix them; empty if the answer is complete. */
export function checkFixAnswer(
  { findings, hasChanges, mayAskAgain }: Asked,
  answer: Pick<ReviewFixOutput, 'findings'>,
): string[] {
  const { wrong, missing } = checkCoverage({
    field: 'findings',
    asked: findings.map(({ id }) => id),
    given: answer.findings.map(({ id }) => id),
  });
  const empty = mayAskAgain ? answer.findings.filter(({ note }) => saysNothing(note)) : [];
  const claimed = answer.findings.filter(({ resolution }) => resolution === 'fixed');
  return [
    ...wrong,
    ...missing,
    ...(hasChanges ? [] : claimed).map(
      ({ id }) =>
        `findings: finding ${id} is marked as fixed, but no file changed; make the edits, or give another answer`,
    ),
    ...empty.map(
      ({ id }) =>
        `findings: the note of finding ${id} must say what you changed and where, or why you changed nothing`,
    ),
  ];
}

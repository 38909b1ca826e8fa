import type { ReviewFixOutput } from '../review/review-output.js';

type Asked = {
  findings: readonly { id: number }[];
  /** True if any file changed. */
  hasChanges: boolean;
};

/** Lists the errors in an answer to a review so that an agent can fix them; empty if the answer is complete. */
export function checkFixAnswer(
  { findings, hasChanges }: Asked,
  answer: Pick<ReviewFixOutput, 'findings'>,
): string[] {
  const asked = new Set(findings.map(({ id }) => id));
  const given = answer.findings.map(({ id }) => id);
  const repeated = given.filter((id, index) => given.indexOf(id) < index);
  const claimed = answer.findings.filter(({ resolution }) => resolution === 'fixed');
  return [
    ...[...new Set(given)]
      .filter((id) => !asked.has(id))
      .map((id) => `findings: ${id} is not one of the findings of this review`),
    ...[...asked].filter((id) => !given.includes(id)).map((id) => `findings: finding ${id} has no answer`),
    ...[...new Set(repeated)].map((id) => `findings: finding ${id} is answered more than once`),
    ...(hasChanges ? [] : claimed).map(
      ({ id }) =>
        `findings: finding ${id} is marked as fixed, but no file changed; make the edits, or give another answer`,
    ),
  ];
}

import type { ReviewFixOutput } from '../review/review-output.js';

type Asked = {
  findings: readonly { id: number }[];
  /** Whether any file differs. */
  hasChanges: boolean;
};

/** What is wrong with the answer to a review, in words that an agent can act on; empty when it is complete. */
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
        `findings: finding ${id} is called fixed, but no file differs; make the edits, or answer otherwise`,
    ),
  ];
}

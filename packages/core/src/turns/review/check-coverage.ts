type Answers = {
  /** The output field with the answers. */
  field: string;
  asked: readonly number[];
  given: readonly number[];
};

/** Lists the errors in answers that must cover each finding exactly once, as text for the agent. */
export function checkCoverage({ field, asked, given }: Answers): { wrong: string[]; missing: string[] } {
  const repeated = given.filter((id, index) => given.indexOf(id) < index);
  return {
    wrong: [
      ...[...new Set(given)]
        .filter((id) => !asked.includes(id))
        .map((id) => `${field}: ${id} is not one of the findings of this review`),
      ...[...new Set(repeated)].map((id) => `${field}: finding ${id} is answered more than once`),
    ],
    missing: asked.filter((id) => !given.includes(id)).map((id) => `${field}: finding ${id} has no answer`),
  };
}

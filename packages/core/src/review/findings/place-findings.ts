import type { RaisedFinding } from './choose-findings.js';
import { compareGravity, isBlocking, type ReviewPolicy } from './finding.js';
import type { DiffLines } from './read-hunks.js';

export type InlineFinding = RaisedFinding & { line: number };

/** Where each finding is shown, the gravest first. */
export type Placement = {
  inline: readonly InlineFinding[];
  /** GitHub takes no comment on its line, and would refuse the whole review for one such. */
  demoted: readonly RaisedFinding[];
  /** Raised before, so that its words are on the pull request already. */
  standing: readonly RaisedFinding[];
  /** Too small for a thread each. */
  nits: readonly RaisedFinding[];
  /** Beyond the cap. They count for the verdict and go to the fixer all the same. */
  hidden: readonly RaisedFinding[];
};

export function placeFindings(
  findings: readonly RaisedFinding[],
  lines: DiffLines,
  { maxFindings, blockingSeverity }: ReviewPolicy,
): Placement {
  const sorted = findings.toSorted(compareGravity);
  const shown = sorted.slice(0, maxFindings);
  const fresh = shown.filter(({ origin }) => origin !== 'known');
  const isNit = (finding: RaisedFinding): boolean =>
    finding.severity === 'low' && !isBlocking(finding, blockingSeverity);
  const isInline = (finding: RaisedFinding): finding is InlineFinding =>
    finding.line !== null && lines.get(finding.path)?.has(finding.line) === true;
  const grave = fresh.filter((finding) => !isNit(finding));
  return {
    inline: grave.filter(isInline),
    demoted: grave.filter((finding) => !isInline(finding)),
    standing: shown.filter(({ origin }) => origin === 'known'),
    nits: fresh.filter(isNit),
    hidden: sorted.slice(maxFindings),
  };
}

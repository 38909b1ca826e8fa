import type { RaisedFinding } from './choose-findings.js';
import { compareGravity, isBlocking, type ReviewPolicy } from './finding.js';
import type { DiffLines } from './read-hunks.js';

export type InlineFinding = RaisedFinding & { line: number };

/** The findings by their place in the review, most severe first. */
export type Placement = {
  inline: readonly InlineFinding[];
  /** Findings without a line in the diff. GitHub would reject the whole review if it commented on such a line. */
  demoted: readonly RaisedFinding[];
  /** Findings from earlier rounds, whose text is already on the pull request. */
  standing: readonly RaisedFinding[];
  /** Findings that are too minor for threads of their own. */
  nits: readonly RaisedFinding[];
  /** Findings beyond `maxFindings`. Hidden findings still count for the verdict and go to the fixing agent. */
  hidden: readonly RaisedFinding[];
};

export function placeFindings(
  findings: readonly RaisedFinding[],
  lines: DiffLines,
  { maxFindings, blockingSeverity }: Pick<ReviewPolicy, 'maxFindings' | 'blockingSeverity'>,
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

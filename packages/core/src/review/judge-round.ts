import { computeVerdict, type ReviewVerdict } from './compute-verdict.js';
import { type ChosenFindings, chooseFindings, type RaisedFinding } from './findings/choose-findings.js';
import type { EarlierFinding, Finding, ReviewPolicy } from './findings/finding.js';
import { matchFindings } from './findings/match-findings.js';
import { type Placement, placeFindings } from './findings/place-findings.js';
import type { DiffLines } from './findings/read-hunks.js';

export type ReviewedRound = {
  /** From 1; only rounds that came to a verdict count. */
  round: number;
  findings: readonly Finding[];
  /** Of all earlier rounds of the pull request, whatever became of them. */
  earlier: readonly EarlierFinding[];
  lines: DiffLines;
  policy: ReviewPolicy;
};

export type Judgement = ChosenFindings & {
  verdict: ReviewVerdict<RaisedFinding>;
  /** Open before and not raised any more: they are fixed. */
  gone: readonly EarlierFinding[];
  placement: Placement;
};

/** What a reviewer's findings mean, given all that was found and decided before. */
export function judgeRound({ round, findings, earlier, lines, policy }: ReviewedRound): Judgement {
  const { blockingSeverity } = policy;
  const matched = matchFindings(findings.map(tidyPath), earlier, lines);
  const { raised, dropped } = chooseFindings(matched, { round, blockingSeverity });
  return {
    verdict: computeVerdict(raised, blockingSeverity),
    raised,
    dropped,
    gone: matched.gone,
    placement: placeFindings(raised, lines, policy),
  };
}

function tidyPath(finding: Finding): Finding {
  return { ...finding, path: finding.path.replace(/^(?:\.\/)+/, '') };
}

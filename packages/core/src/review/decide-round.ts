import { computeVerdict, type ReviewVerdict } from './compute-verdict.js';
import { type ChosenFindings, chooseFindings, type RaisedFinding } from './findings/choose-findings.js';
import type { EarlierFinding, Finding, ReviewPolicy } from './findings/finding.js';
import { matchFindings } from './findings/match-findings.js';
import { type Placement, placeFindings } from './findings/place-findings.js';
import type { DiffLines } from './findings/read-hunks.js';

export type ReviewedRound = {
  /** 1-based number of the round. Rounds without a verdict are not counted. */
  round: number;
  findings: readonly Finding[];
  /** The findings of all earlier rounds, whatever their status. */
  earlier: readonly EarlierFinding[];
  lines: DiffLines;
  policy: ReviewPolicy;
};

export type Judgement = ChosenFindings & {
  verdict: ReviewVerdict<RaisedFinding>;
  /** Open findings that this round did not raise again, which means that they are fixed. */
  gone: readonly EarlierFinding[];
  placement: Placement;
};

/** Evaluates a reviewer's findings against all earlier findings and decisions. */
export function decideRound({ round, findings, earlier, lines, policy }: ReviewedRound): Judgement {
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

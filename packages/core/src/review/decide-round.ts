import { computeVerdict, type ReviewVerdict } from './compute-verdict.js';
import {
  type Candidate,
  type Checks,
  type ChosenFindings,
  chooseFindings,
  listSuspects,
  type RaisedFinding,
} from './findings/choose-findings.js';
import {
  type EarlierFinding,
  listUnresolved,
  type ReportedFinding,
  type ReviewPolicy,
} from './findings/finding.js';
import { fitSuggestion } from './findings/fit-suggestion.js';
import { type Matched, matchFindings, repeat } from './findings/match-findings.js';
import { type Placement, placeFindings } from './findings/place-findings.js';
import type { DiffLines } from './findings/read-hunks.js';

/** The reviewer's answer about one finding of the previous round. */
export type EarlierAnswer = { id: number; status: 'holds' | 'fixed'; line: number | null; evidence: string };

export type ReviewedRound = {
  /** 1-based number of the round. Rounds without a verdict are not counted. */
  round: number;
  findings: readonly ReportedFinding[];
  answers: readonly EarlierAnswer[];
  /** The findings of all earlier rounds, in any status. */
  earlier: readonly EarlierFinding[];
  lines: DiffLines;
  policy: ReviewPolicy;
};

/** A reviewer's findings, matched with all earlier findings. */
export type MatchedRound = Pick<ReviewedRound, 'round' | 'lines' | 'policy'> & {
  candidates: readonly Candidate[];
  duplicates: Matched['duplicates'];
  /** Ids of the findings that the reviewer reports as fixed. */
  fixed: readonly number[];
  /** The findings that would block, which a second agent must check before they are posted. */
  suspects: readonly Candidate[];
};

export type Judgement = ChosenFindings & {
  verdict: ReviewVerdict<RaisedFinding>;
  /** Ids of findings from the previous round that are fixed or refuted. */
  gone: readonly number[];
  placement: Placement;
};

/**
 * Matches the reviewer's findings and answers with the earlier findings. If the reviewer does not answer a finding of
 * the previous round, the finding still counts, so an omission cannot approve a change.
 */
export function matchRound(reviewed: ReviewedRound): MatchedRound {
  const { round, findings, answers, earlier, lines, policy } = reviewed;
  const { matches, duplicates } = matchFindings(findings, earlier, lines);
  const unresolved = listUnresolved(earlier, round);
  const reported = new Set(matches.map((match) => match.earlier?.id));
  const silent = unresolved.filter(({ id }) => !reported.has(id));
  const answerTo = (id: number) => answers.find((answer) => answer.id === id);
  const isFixed = ({ id }: EarlierFinding): boolean => answerTo(id)?.status === 'fixed';
  const held = silent
    .filter((finding) => !isFixed(finding))
    .map((finding) => repeat(finding, readHeld(finding, answerTo(finding.id)?.line ?? null)));
  const candidates = [...held, ...matches].map((match) => ({
    ...match,
    isUnresolved: unresolved.some(({ id }) => id === match.earlier?.id),
    isOnDiff: hasLine(lines, match.finding),
  }));
  const suspects = listSuspects(candidates, { round, policy });
  return {
    round,
    lines,
    policy,
    candidates,
    duplicates,
    suspects,
    fixed: silent.filter(isFixed).map(({ id }) => id),
  };
}

/**
 * Decides which findings to post and which of them block. `checks` is empty if no second agent was asked or could
 * answer.
 */
export function decideRound(matched: MatchedRound, checks: Checks = new Map()): Judgement {
  const { lines, policy, fixed } = matched;
  const chosen = chooseFindings(matched, matched, checks);
  const raised = chosen.raised.map((finding) => fitSuggestion(finding, lines));
  return {
    ...chosen,
    raised,
    verdict: computeVerdict(raised, policy.blockingSeverity),
    gone: [...fixed, ...chosen.refuted.flatMap(({ earlierId }) => earlierId ?? [])],
    placement: placeFindings(raised, lines, policy),
  };
}

/** Restores a recorded finding, at its current line if the reviewer gave that line. */
function readHeld(earlier: EarlierFinding, line: number | null): ReportedFinding {
  const { path, severity, category, body, suggestion } = earlier;
  const hasMoved = line !== null && line !== earlier.line;
  // After a move, the recorded range may contain other code, so the suggestion could replace the wrong lines.
  const place = hasMoved
    ? { line, startLine: null, suggestion: null }
    : { line: earlier.line, startLine: earlier.startLine, suggestion };
  return { path, severity, category, body, introduced: true, ...place };
}

function hasLine(lines: DiffLines, { path, line }: Pick<ReportedFinding, 'path' | 'line'>): boolean {
  return line !== null && lines.get(path)?.has(line) === true;
}

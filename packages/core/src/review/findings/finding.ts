import { type ReviewOutput, SEVERITIES } from '../../turns/review/review-output.js';

type Reported = ReviewOutput['findings'][number];

export type Finding = Omit<Reported, 'start_line' | 'introduced'> & {
  /** The first line of a range that ends at `line`; null for a single line. */
  startLine: number | null;
};
/** A finding as the reviewer reported it. */
export type ReportedFinding = Finding & Pick<Reported, 'introduced'>;
export type Severity = Finding['severity'];

/** The fixing agent sets `wontfix` and `disputed`; only a person sets `dismissed`. */
export const FINDING_STATUSES = ['open', 'fixed', 'wontfix', 'disputed', 'dismissed'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** A recorded finding from an earlier round. */
export type EarlierFinding = Finding & {
  id: number;
  fingerprint: string;
  status: FindingStatus;
  /** The last round that raised the finding. */
  lastRound: number;
};

export type ReviewPolicy = {
  /** Findings of this severity or higher block the pull request. */
  blockingSeverity: Severity;
  /** Maximum number of findings in one posted review. */
  maxFindings: number;
  /** True if a second agent verifies each blocking finding. */
  verify: boolean;
};

export function readReported({ start_line, ...finding }: Reported): ReportedFinding {
  return {
    ...finding,
    path: finding.path.replace(/^(?:\.\/)+/, ''),
    startLine: start_line === finding.line ? null : start_line,
  };
}

export function isBlocking({ severity }: Pick<Finding, 'severity'>, blockingSeverity: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(blockingSeverity);
}

/** Compares findings for sorting, most severe first. */
export function compareGravity(a: Pick<Finding, 'severity'>, b: Pick<Finding, 'severity'>): number {
  return SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
}

/**
 * Returns the findings that the reviewer must check again: those of the previous round that nobody dismissed. The
 * fixing agent's claims do not matter, because only the reviewer decides whether a finding is fixed.
 */
export function listUnresolved<F extends Pick<EarlierFinding, 'status' | 'lastRound'>>(
  earlier: readonly F[],
  round: number,
): F[] {
  return earlier.filter(({ status, lastRound }) => status !== 'dismissed' && lastRound === round - 1);
}

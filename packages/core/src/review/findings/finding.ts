import { type ReviewOutput, SEVERITIES } from '../../turns/review/review-output.js';

export type Finding = ReviewOutput['findings'][number];
export type Severity = Finding['severity'];

/** The fixing agent sets `wontfix` and `disputed`; only a person sets `dismissed`. */
export const FINDING_STATUSES = ['open', 'fixed', 'wontfix', 'disputed', 'dismissed'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** A recorded finding from an earlier round. */
export type EarlierFinding = {
  id: number;
  fingerprint: string;
  path: string;
  severity: Severity;
  category: string;
  body: string;
  status: FindingStatus;
};

export type ReviewPolicy = {
  /** Findings of this severity or higher block the pull request. */
  blockingSeverity: Severity;
  /** Maximum number of findings in one posted review. */
  maxFindings: number;
};

export function isBlocking({ severity }: Pick<Finding, 'severity'>, blockingSeverity: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(blockingSeverity);
}

/** Compares findings for sorting, most severe first. */
export function compareGravity(a: Pick<Finding, 'severity'>, b: Pick<Finding, 'severity'>): number {
  return SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
}

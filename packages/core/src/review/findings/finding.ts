import { type ReviewOutput, SEVERITIES } from '../../turns/review/review-output.js';

export type Finding = ReviewOutput['findings'][number];
export type Severity = Finding['severity'];

/** `wontfix` and `disputed` are words of the agent that fixes; only a person makes a finding `dismissed`. */
export const FINDING_STATUSES = ['open', 'fixed', 'wontfix', 'disputed', 'dismissed'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** A finding of an earlier round, as it was recorded. */
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
  /** Findings of this severity and above request changes. */
  blockingSeverity: Severity;
  /** Most findings that are shown in one review. */
  maxFindings: number;
};

export function isBlocking({ severity }: Pick<Finding, 'severity'>, blockingSeverity: Severity): boolean {
  return SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(blockingSeverity);
}

/** The gravest first; for `toSorted`. */
export function compareGravity(a: Pick<Finding, 'severity'>, b: Pick<Finding, 'severity'>): number {
  return SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity);
}

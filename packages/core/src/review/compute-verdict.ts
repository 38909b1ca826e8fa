import { type Finding, type FindingStatus, isBlocking, type Severity } from './findings/finding.js';

export type ReviewVerdict<F> = { kind: 'approved' } | { kind: 'changes_requested'; blocking: readonly F[] };

/**
 * Computes the verdict from findings and policy alone, so that no text by the reviewer or in the diff can force an
 * approval. `wontfix` and `disputed` are the agent's claims and do not unblock: only a person can dismiss a finding.
 */
export function computeVerdict<F extends Pick<Finding, 'severity'> & { status: FindingStatus }>(
  findings: readonly F[],
  blockingSeverity: Severity,
): ReviewVerdict<F> {
  const blocking = findings.filter(
    (finding) =>
      finding.status !== 'fixed' && finding.status !== 'dismissed' && isBlocking(finding, blockingSeverity),
  );
  return blocking.length === 0 ? { kind: 'approved' } : { kind: 'changes_requested', blocking };
}

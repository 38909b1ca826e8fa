import { type Finding, type FindingStatus, isBlocking, type Severity } from './findings/finding.js';

export type ReviewVerdict<F> = { kind: 'approved' } | { kind: 'changes_requested'; blocking: readonly F[] };

/**
 * Made of findings and policy alone: no text, neither of the reviewer nor in the diff, can talk it into an approval. That
 * the agent calls a finding `wontfix` or `disputed` settles nothing; only a person's dismissal does.
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

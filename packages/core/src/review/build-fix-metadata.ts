import { z } from 'zod';
import type { Finding } from './findings/finding.js';

/** Describes a fix. MergeXO records this metadata with the event of the fix and passes it to the next review. */
export const ReviewFixMetadata = z.strictObject({
  pr_number: z.int().min(1),
  repo: z.string().regex(/^[^/\s]+\/[^/\s]+$/, 'expected owner/name'),
  branch: z.string().min(1).max(255),
  /** The checkout for the fix; null until a worker leases one. */
  slot: z.string().min(1).max(4_096).nullable(),
  /** 0-based number of the fix. */
  fix_cycle: z.int().min(0),
  max_fix_cycles: z.int().min(0),
  /** `ReviewComments` as JSON. */
  review_comments: z.string().max(2_500_000),
  implementation_run_id: z.int().min(1),
  project_id: z.int().min(1),
});
export type ReviewFixMetadata = z.infer<typeof ReviewFixMetadata>;

export type ReviewComments = {
  summary: string;
  findings: readonly (Finding & { id: number })[];
};

export function buildFixMetadata(fix: {
  prNumber: number;
  repo: string;
  repoId: number;
  branch: string;
  slot: string | null;
  cycle: number;
  maxFixCycles: number;
  runId: number;
  comments: ReviewComments;
}): ReviewFixMetadata {
  return {
    pr_number: fix.prNumber,
    repo: fix.repo,
    branch: fix.branch,
    slot: fix.slot,
    fix_cycle: fix.cycle,
    max_fix_cycles: fix.maxFixCycles,
    review_comments: serialiseComments(fix.comments),
    implementation_run_id: fix.runId,
    project_id: fix.repoId,
  };
}

/** Lists the fields in a fixed order, so that equal comments always give equal text. */
function serialiseComments({ summary, findings }: ReviewComments): string {
  return JSON.stringify({
    summary,
    findings: findings.map(({ id, path, startLine, line, severity, category, body, suggestion }) => ({
      id,
      path,
      start_line: startLine,
      line,
      severity,
      category,
      body,
      suggestion,
    })),
  });
}

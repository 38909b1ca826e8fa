import { z } from 'zod';
import { commitMessage, repoPath, text } from '../../agent/texts.js';

export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;

export const REVIEW_CATEGORIES = [
  'spec_compliance',
  'plan_adherence',
  'security',
  'quality',
  'architecture',
  'edge_cases',
  'duplication',
  'tests',
] as const;

/** Maximum number of findings in one review. */
export const MAX_FINDINGS = 50;

/** Maximum lengths of the texts in a reviewer's answer. */
export const REVIEW_LIMITS = { summary: 20_000, path: 500, finding: 10_000, evidence: 2_000 };

const Evidence = text(REVIEW_LIMITS.evidence);

const Finding = z.strictObject({
  path: repoPath(),
  /** The first line of a range that ends at `line`; null for a single line. */
  start_line: z.int().min(1).nullable().default(null),
  /** Null if the finding is about the whole file. */
  line: z.int().min(1).nullable().default(null),
  severity: z.enum(SEVERITIES),
  category: z.enum(REVIEW_CATEGORIES),
  /** False if the code had the problem before this change. */
  introduced: z.boolean().default(true),
  body: text(REVIEW_LIMITS.finding),
  suggestion: text(REVIEW_LIMITS.finding).nullable().default(null),
});

/** States whether a finding of the previous round still applies. */
const EarlierAnswer = z.strictObject({
  id: z.int().min(1),
  status: z.enum(['holds', 'fixed']),
  /** The line in the reviewed head, which may differ from the line in the previous round. */
  line: z.int().min(1).nullable().default(null),
  evidence: Evidence,
});

/** Contains no verdict. MergeXO computes it from the findings, so that no text in the diff can force an approval. */
export const ReviewReply = z.strictObject({
  summary: text(REVIEW_LIMITS.summary),
  earlier: z
    .array(EarlierAnswer)
    .max(2 * MAX_FINDINGS)
    .default([]),
  findings: z.array(Finding).max(MAX_FINDINGS),
});
export type ReviewOutput = z.infer<typeof ReviewReply>;

export const ReviewOutput: z.ZodType<ReviewOutput> = ReviewReply.superRefine(({ findings }, context) => {
  for (const [index, { start_line, line }] of findings.entries())
    if (start_line !== null && (line === null || start_line > line)) {
      const message = 'must not be greater than line, which is the last line of the range';
      context.addIssue({ code: 'custom', path: ['findings', index, 'start_line'], message });
    }
});

/** A second agent's answer about each blocking finding. */
export const ReviewVerifyReply = z.strictObject({
  findings: z
    .array(
      z.strictObject({
        id: z.int().min(1),
        status: z.enum(['confirmed', 'refuted']),
        evidence: Evidence,
      }),
    )
    .max(2 * MAX_FINDINGS),
});
export type ReviewVerifyOutput = z.infer<typeof ReviewVerifyReply>;

const FindingAnswer = z.strictObject({
  id: z.int().min(1),
  resolution: z.enum(['fixed', 'wontfix', 'disputed']),
  note: text(4_000),
});

export const ReviewFixReply = z.strictObject({
  commit_message: commitMessage().nullable().default(null),
  findings: z.array(FindingAnswer).max(MAX_FINDINGS),
  summary: text(20_000),
  state_summary: text(20_000),
});
export type ReviewFixOutput = z.infer<typeof ReviewFixReply>;

export const ReviewFixOutput: z.ZodType<ReviewFixOutput> = ReviewFixReply.superRefine((reply, context) => {
  const seen = new Set<number>();
  for (const [index, { id }] of reply.findings.entries()) {
    if (seen.has(id)) {
      const message = `finding ${id} is answered twice; answer it once`;
      context.addIssue({ code: 'custom', path: ['findings', index, 'id'], message });
    }
    seen.add(id);
  }
});

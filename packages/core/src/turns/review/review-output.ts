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

const Finding = z.strictObject({
  path: repoPath(),
  /** Null if the finding is about the whole file. */
  line: z.int().min(1).nullable().default(null),
  severity: z.enum(SEVERITIES),
  category: z.enum(REVIEW_CATEGORIES),
  body: text(10_000),
  suggestion: text(10_000).nullable().default(null),
});

/** Contains no verdict. MergeXO computes it from the findings, so that no text in the diff can force an approval. */
export const ReviewReply = z.strictObject({ summary: text(20_000), findings: z.array(Finding).max(50) });
export type ReviewOutput = z.infer<typeof ReviewReply>;

const FindingAnswer = z.strictObject({
  id: z.int().min(1),
  resolution: z.enum(['fixed', 'wontfix', 'disputed']),
  note: text(4_000),
});

export const ReviewFixReply = z.strictObject({
  commit_message: commitMessage().nullable().default(null),
  findings: z.array(FindingAnswer).max(50),
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

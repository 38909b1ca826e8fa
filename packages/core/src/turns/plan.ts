import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Sha } from '../basics/sha.js';
import { ReviewFixResult } from './fix/review-fix-result.js';
import { ReviewResult } from './review/review-result.js';

export { Sha };

export const MAX_BUNDLE_BYTES = 20 * 1024 * 1024;

export const AgentSession = z.strictObject({ adapter: z.string().min(1), threadId: z.string().nullable() });
export type AgentSession = z.infer<typeof AgentSession>;

const PlannedCommit = z.strictObject({
  branch: z.string().min(1).max(255),
  /** What the work was done on: the branch's head, or the base branch's where the branch is new. */
  startSha: Sha,
  sha: Sha,
});

const DesignFacts = z.strictObject({
  path: z.string().max(500),
  priority: z.int().min(1).max(5),
  touchPaths: z.array(z.string().max(500)).max(200),
  dependsOn: z.array(z.union([z.int(), z.string().max(500)])).max(100),
  estimatedSize: z.enum(['S', 'M', 'L']),
});

/** Why a start ended without a pull request; a comment on the issue resumes it. */
export const WAIT_KINDS = [
  'agent_blocked',
  'agent_failed',
  'answer_unusable',
  'push_refused',
  'superseded',
  'tests_failed',
  'tests_unavailable',
  'tests_missing',
  'no_changes',
  'history_rewritten',
  'new_issue_comments_pending',
  'rebuilt',
  'legacy',
  'interrupted',
] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** Why a pull request needs a person before anything more happens on it. */
export const BLOCK_KINDS = [
  'agent_blocked',
  'tests_failed',
  'tests_unavailable',
  'history_rewritten',
  'head_missing',
  'session_missing',
  'turn_failed',
  'push_refused',
  'superseded',
  'cap_reached',
  'ci_failing',
] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

/** Lifted by restoring the accepted head, or by accepting another one. */
export function asksForHead(blockKind: string | null): boolean {
  return blockKind === 'history_rewritten' || blockKind === 'head_missing';
}

/** What is to be said once the commits are pushed. */
export const PlanResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('pull'),
    title: z.string().min(1).max(300),
    summary: z.string().max(64_000),
    design: DesignFacts.nullable(),
    /** Of an implementation: what the design asks for, and the files that show that it is there. */
    acceptance: z
      .array(z.strictObject({ text: z.string().max(1_000), shownBy: z.array(z.string().max(500)).max(20) }))
      .max(50)
      .optional(),
  }),
  z.strictObject({
    kind: z.literal('answer'),
    replies: z
      .array(
        z.strictObject({
          commentId: z.int(),
          /** The first comment of the thread: GitHub takes replies to no other. */
          rootId: z.int(),
          body: z.string().min(1).max(64_000),
        }),
      )
      .max(100),
    general: z.string().min(1).max(64_000).nullable(),
    /** A failed run that has nothing to do with the change: it is run once more. */
    rerun: z.strictObject({ runId: z.int(), attempt: z.int() }).optional(),
  }),
  z.strictObject({
    kind: z.literal('block'),
    blockKind: z.enum(BLOCK_KINDS),
    reason: z.string().max(64_000),
    observedSha: Sha.nullable(),
  }),
  z.strictObject({ kind: z.literal('wait'), waitKind: z.enum(WAIT_KINDS), reason: z.string().max(64_000) }),
  ReviewResult,
  ReviewFixResult,
]);
export type PlanResult = z.infer<typeof PlanResult>;

export const Usage = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  costUsd: z.number().min(0),
});
export type Usage = z.infer<typeof Usage>;

/** An agent's result as it will be carried out. Once frozen it is executed by whoever takes the turn up. */
export const Plan = z.strictObject({
  version: z.literal(1),
  session: AgentSession.nullable(),
  commit: PlannedCommit.nullable(),
  result: PlanResult,
  stateSummary: z.string().max(64_000),
  usage: Usage,
});
export type Plan = z.infer<typeof Plan>;

/** The plan and the git bundle that holds its commits (base64); null where nothing is to be pushed. */
export const PlanParcel = z
  .strictObject({
    plan: Plan,
    bundle: z
      .base64()
      .max(Math.ceil(MAX_BUNDLE_BYTES / 3) * 4)
      .nullable(),
  })
  .refine(({ plan, bundle }) => needsPush(plan) === (bundle !== null), {
    message: 'commits and their bundle belong together: without it they would be lost with their host',
  })
  .refine(({ plan }) => plan.result.kind !== 'pull' || plan.commit !== null, {
    message: 'a pull request needs commits',
  })
  .refine(({ plan }) => plan.result.kind !== 'review' || plan.commit === null, {
    message: 'a review changes nothing',
  })
  .refine(
    ({ plan }) => plan.result.kind !== 'fix' || (plan.commit === null) === (plan.result.failure !== null),
    {
      message: 'a fix has either commits or failed',
    },
  );
export type PlanParcel = z.infer<typeof PlanParcel>;

/** A pull request may be opened for a checkpoint that is pushed already. */
export function needsPush({ commit }: Pick<Plan, 'commit'>): boolean {
  return commit !== null && commit.sha !== commit.startSha;
}

export function computePlanDigest({ plan, bundle }: PlanParcel): string {
  return createHash('sha256')
    .update(JSON.stringify(plan))
    .update('\0')
    .update(bundle ?? '')
    .digest('hex');
}

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Sha } from '../basics/sha.js';
import { Usage } from '../cost/usage.js';
import { ReviewFixResult } from './fix/review-fix-result.js';
import { ReviewResult } from './review/review-result.js';

export { Sha };

export const MAX_BUNDLE_BYTES = 20 * 1024 * 1024;

export const AgentSession = z.strictObject({ adapter: z.string().min(1), threadId: z.string().nullable() });
export type AgentSession = z.infer<typeof AgentSession>;

const PlannedCommit = z.strictObject({
  branch: z.string().min(1).max(255),
  /** The commit that the work is based on: the branch's head, or the base branch's head for a new branch. */
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

/** Why a start ended without a pull request. A comment on the issue resumes the work. */
export const WAIT_KINDS = [
  'agent_blocked',
  'agent_failed',
  'answer_unusable',
  'push_refused',
  'superseded',
  'tests_failed',
  'tests_unavailable',
  'setup_failed',
  'tests_missing',
  'no_changes',
  'history_rewritten',
  'secret_found',
  'new_issue_comments_pending',
  'rebuilt',
  'legacy',
  'interrupted',
] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** Why a pull request is waiting for a person. */
export const BLOCK_KINDS = [
  'agent_blocked',
  'tests_failed',
  'tests_unavailable',
  'setup_failed',
  'history_rewritten',
  'secret_found',
  'head_missing',
  'session_missing',
  'turn_failed',
  'push_refused',
  'superseded',
  'cap_reached',
  'ci_failing',
] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

/** True for blocks that end when somebody restores the accepted head or accepts another head. */
export function asksForHead(blockKind: string | null): boolean {
  return blockKind === 'history_rewritten' || blockKind === 'head_missing';
}

/** The posts to make after the commits are pushed. */
export const PlanResult = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('pull'),
    title: z.string().min(1).max(300),
    summary: z.string().max(64_000),
    design: DesignFacts.nullable(),
    /** For an implementation: the acceptance criteria of the design, and the files that prove that each is met. */
    acceptance: z
      .array(z.strictObject({ text: z.string().max(1_000), shownBy: z.array(z.string().max(500)).max(20) }))
      .max(50)
      .optional(),
    /** For a bug fix: the test files that make the required tests fail on the base branch. */
    provedBy: z.array(z.string().max(4_096)).max(20).optional(),
  }),
  z.strictObject({
    kind: z.literal('answer'),
    replies: z
      .array(
        z.strictObject({
          commentId: z.int(),
          /** The first comment of the thread, because GitHub accepts replies only to that comment. */
          rootId: z.int(),
          body: z.string().min(1).max(64_000),
        }),
      )
      .max(100),
    general: z.string().min(1).max(64_000).nullable(),
    /** A failed run that is unrelated to the change, to be rerun once. */
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

/** An agent's result, ready to execute. After the plan is frozen, any worker that gets the turn can execute it. */
export const Plan = z.strictObject({
  version: z.literal(1),
  session: AgentSession.nullable(),
  commit: PlannedCommit.nullable(),
  result: PlanResult,
  stateSummary: z.string().max(64_000),
  usage: Usage,
});
export type Plan = z.infer<typeof Plan>;

/** The plan, and the git bundle with its commits in base64. The bundle is null if there is nothing to push. */
export const PlanParcel = z
  .strictObject({
    plan: Plan,
    bundle: z
      .base64()
      .max(Math.ceil(MAX_BUNDLE_BYTES / 3) * 4)
      .nullable(),
  })
  .refine(({ plan, bundle }) => needsPush(plan) === (bundle !== null), {
    message: 'a plan needs a bundle if it has commits to push, and must not have one otherwise',
  })
  .refine(({ plan }) => plan.result.kind !== 'pull' || plan.commit !== null, {
    message: 'a pull request needs commits',
  })
  .refine(({ plan }) => plan.result.kind !== 'review' || plan.commit === null, {
    message: 'a review must not contain commits',
  })
  .refine(
    ({ plan }) => plan.result.kind !== 'fix' || (plan.commit === null) === (plan.result.failure !== null),
    {
      message: 'a fix must have either commits or a failure',
    },
  );
export type PlanParcel = z.infer<typeof PlanParcel>;

/** True if the plan has commits to push. False if they were already pushed as a checkpoint. */
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

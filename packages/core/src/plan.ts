import { createHash } from 'node:crypto';
import { z } from 'zod';

export const MAX_BUNDLE_BYTES = 20 * 1024 * 1024;

export const Sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'expected a full commit sha');

export const AgentSession = z.strictObject({ adapter: z.string().min(1), thread_id: z.string().nullable() });
export type AgentSession = z.infer<typeof AgentSession>;

export const PlannedCommit = z.strictObject({ branch: z.string().min(1), start_sha: Sha, sha: Sha });

/** An agent's result as it will be carried out. Once frozen it is executed by whoever takes the turn up. */
export const Plan = z.strictObject({
  version: z.literal(1),
  session: AgentSession.nullable(),
  commit: PlannedCommit.nullable(),
});
export type Plan = z.infer<typeof Plan>;

/** The plan and the git bundle that holds its commits (base64); null where nothing is to be pushed. */
export const PlanParcel = z.strictObject({
  plan: Plan,
  bundle: z
    .base64()
    .max(Math.ceil(MAX_BUNDLE_BYTES / 3) * 4)
    .nullable(),
});
export type PlanParcel = z.infer<typeof PlanParcel>;

export function computePlanDigest({ plan, bundle }: PlanParcel): string {
  return createHash('sha256')
    .update(JSON.stringify(plan))
    .update('\0')
    .update(bundle ?? '')
    .digest('hex');
}

import type { BegunTurn } from '@mergexo/core/ledger';
import { type PlanParcel, StartContext } from '@mergexo/core/turns';
import type { Git } from '@mergexo/git';
import type { PlanTools } from './task.js';

export type Pushed =
  | { kind: 'pushed'; reason: null }
  | { kind: 'superseded' | 'refused'; reason: string }
  | { kind: 'failed'; reason: string; retryAfterMs: number | null };

/** Pushes the frozen commits as a fast-forward. Pushing the same plan again changes nothing. */
export type PushPlan = (begun: BegunTurn, parcel: PlanParcel, signal: AbortSignal) => Promise<Pushed>;

type PushTools = Pick<PlanTools, 'repos'> & { git: Pick<Git, 'publish'> };

export function createPushPlan({ git, repos }: PushTools): PushPlan {
  return async (begun, parcel, signal) => {
    const name = repoOf(begun);
    const repo = repos.find(({ fullName }) => fullName === name);
    const request = buildPublish(parcel);
    if (repo === undefined || request === undefined) {
      const reason = `${name} is missing from this worker's mergexo.toml; add the repository and restart the worker`;
      return { kind: 'failed', reason, retryAfterMs: 60_000 };
    }
    return toPushed(await git.publish(repo, { ...request, continues: continuesBranch(begun), signal }));
  };
}

/** True if the branch existed when the work began. */
function continuesBranch({ prNumber, context }: BegunTurn): boolean {
  if (prNumber !== null) return true;
  const start = StartContext.safeParse(context);
  return start.success && (start.data.followup?.checkpoint ?? null) !== null;
}

function repoOf({ context }: BegunTurn): string {
  return typeof context === 'object' && context !== null && 'repo' in context
    ? String(context['repo'])
    : 'unknown';
}

function buildPublish({ plan, bundle }: PlanParcel) {
  if (plan.commit === null || bundle === null) return undefined;
  return { ...plan.commit, bundle: Buffer.from(bundle, 'base64') };
}

function toPushed(published: Awaited<ReturnType<Git['publish']>>): Pushed {
  switch (published.kind) {
    case 'pushed':
      return { kind: 'pushed', reason: null };
    case 'superseded':
      return {
        kind: 'superseded',
        reason: `the branch moved: its head on the remote is ${published.remoteHead ?? 'deleted'}`,
      };
    case 'refused':
      return { kind: 'refused', reason: published.reason.slice(0, 2_000) };
    case 'failed':
      return { kind: 'failed', reason: published.reason.slice(0, 2_000), retryAfterMs: null };
  }
}

import { createHash } from 'node:crypto';
import type { Plan, PlanParcel } from '@mergexo/core/turns';

/** A plan with one commit. `name` makes the plan unique. */
export function aPlan(name: string): PlanParcel {
  const commit = { branch: `agent/bugfix/${name}`, startSha: sha('start'), sha: sha(name) };
  return { plan: { ...words(name), commit }, bundle: Buffer.from(`bundle of ${name}`).toString('base64') };
}

/** A plan that only posts a comment. */
export function aPlanWithoutCommit(name: string): PlanParcel {
  return { plan: { ...words(name), commit: null }, bundle: null };
}

function words(name: string): Omit<Plan, 'commit'> {
  return {
    version: 1,
    session: { adapter: 'command', threadId: name },
    result: { kind: 'wait', waitKind: 'agent_blocked', reason: name },
    stateSummary: '',
    usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
  };
}

function sha(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

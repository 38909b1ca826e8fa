import { createHash } from 'node:crypto';
import type { PlanParcel } from '@mergexo/core';

/** A plan with one commit, told apart by its name. */
export function aPlan(name: string): PlanParcel {
  const sha = (text: string): string => createHash('sha1').update(text).digest('hex');
  return {
    plan: {
      version: 1,
      session: { adapter: 'command', thread_id: name },
      commit: { branch: `agent/bugfix/${name}`, start_sha: sha('start'), sha: sha(name) },
    },
    bundle: Buffer.from(`bundle of ${name}`).toString('base64'),
  };
}

/** A plan that only speaks. */
export function aPlanWithoutCommit(name: string): PlanParcel {
  return {
    plan: { version: 1, session: { adapter: 'command', thread_id: name }, commit: null },
    bundle: null,
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { stoppedFailure, timedOutFailure } from '../run/to-failure.js';
import { type Claim, tryClaim } from './claim.js';

type ClaimWait = { action: string; limitMs: number; signal?: AbortSignal | undefined };

/** Runs the work while this process holds the directory's claim. */
export async function withClaim<T>(
  dir: string,
  wait: ClaimWait,
  work: (claim: Claim) => Promise<T>,
): Promise<T> {
  const claim = await waitForClaim(dir, wait);
  try {
    return await work(claim);
  } finally {
    claim.release();
  }
}

async function waitForClaim(dir: string, { action, limitMs, signal }: ClaimWait): Promise<Claim> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    if (signal?.aborted) throw stoppedFailure(action);
    const claim = tryClaim(dir);
    if (claim !== undefined) return claim;
    if (performance.now() > deadline)
      throw timedOutFailure(`${action}: waiting for another process`, limitMs);
    // Random delays keep several waiters from polling at the same moment.
    await sleep(10 + Math.random() * 40);
  }
}

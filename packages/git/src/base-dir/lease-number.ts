import { type Claim, tryClaim } from './claim.js';
import type { Layout } from './layout.js';

export type Lease = { number: number; claim: Claim };

/** The first number that no living process holds. */
export function leaseNumber(layout: Layout, purpose: 'worker' | 'publisher'): Lease {
  for (let number = 1; ; number += 1) {
    const claim = tryClaim(layout.claim(`${purpose}-${number}`));
    if (claim !== undefined) return { number, claim };
  }
}

import type { SigningKeys } from '@mergexo/core/outbox';
import type { Redact } from '@mergexo/core/text';
import type { GitHub } from '@mergexo/github';
import type { WriteBudget } from '../tools/write-budget.js';
import type { Records, Repo, Self } from '../tools.js';
import type { SignMemory } from './sign-memory.js';

export type SignTools = Records & {
  github: GitHub;
  keys: SigningKeys;
  viewer: Self;
  redact: Redact;
  repos: () => readonly Repo[];
  monotonicNow: () => number;
  sleep: (ms: number) => Promise<void>;
  /** Maximum time until a write without a response appears in a complete listing. */
  windowMs: number;
  /** Minimum delay between writes. */
  spacingMs: number;
  /** An edit waits until the status has stayed the same for this time, so that short steps of the work share one edit. */
  settleMs: number;
  budget: WriteBudget;
  /** True once shutdown has begun. */
  isStopping: () => boolean;
};

/** The tools of a round, and the memory of earlier rounds. */
export type Signing = SignTools & {
  memory: SignMemory;
  /** Waits until a sign may be sent. Returns false if posts come first or the budget has no room. */
  mayWrite: () => Promise<boolean>;
  /** True if a changed status comment is edited at once, even shortly after the last edit. */
  isLast: boolean;
};

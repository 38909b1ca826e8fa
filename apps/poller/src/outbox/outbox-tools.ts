import type { WriteBudget } from '../tools/write-budget.js';
import type { Records, Repo } from '../tools.js';
import type { PostTools } from './posts/post.js';

export type OutboxTools = PostTools &
  Records & {
    repos: () => readonly Repo[];
    monotonicNow: () => number;
    sleep: (ms: number) => Promise<void>;
    /** Maximum time until a write without a response appears in a complete listing. */
    windowMs: number;
    /** Minimum delay between writes. */
    spacingMs: number;
    budget: WriteBudget;
    /** True once shutdown has begun. Checked between actions. */
    isStopping: () => boolean;
  };

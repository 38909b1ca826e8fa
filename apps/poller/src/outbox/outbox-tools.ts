import type { Records, Repo } from '../tools.js';
import type { PostTools } from './posts/post.js';

export type OutboxTools = PostTools &
  Records & {
    repos: () => readonly Repo[];
    monotonicNow: () => number;
    sleep: (ms: number) => Promise<void>;
    /** How long a write that got no answer may take to appear in a complete listing. */
    windowMs: number;
    /** Minimum delay between writes. */
    spacingMs: number;
    /** GitHub refuses more than about 500 an hour, including writes by people on the same login. */
    writesPerHour: number;
    /** Checked between actions; true once shutdown began. */
    isStopping: () => boolean;
  };

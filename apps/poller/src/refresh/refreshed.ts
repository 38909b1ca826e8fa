import type { Config } from '@mergexo/config';
import { Failure, isCarried, type LedgerAnswer, type Turn } from '@mergexo/core';
import type { ListTools } from '../feedback/list-pull.js';
import type { Repo } from '../repo.js';

export type RefreshTools = ListTools & {
  repos: () => readonly Repo[];
  windowMs: number;
  limits: Config['limits'];
  /** How long GitHub wants to be left alone about a repository; 0 when it does not. */
  pauseMs: (repoId: number) => number;
};

/** `fresh`: begin may go on. Anything else is the answer to the worker. */
export type Refreshed = { kind: 'fresh' } | Extract<LedgerAnswer, { kind: 'retry-later' | 'refused' }>;

const LATER_MS = 2_000;

/** Another attempt may have begun, or the turn may have ended, while we looked. */
export function isUnmoved(now: Turn, then: Turn): boolean {
  return isCarried(now) && now.epoch === then.epoch && now.begins.length === then.begins.length;
}

export function later(reason: string, delayMs = LATER_MS): Extract<LedgerAnswer, { kind: 'retry-later' }> {
  return { kind: 'retry-later', delayMs: Math.max(LATER_MS, Math.ceil(delayMs)), reason };
}

export async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Failure('timed-out', 'GitHub is slow; the turn begins later.')),
      limitMs,
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

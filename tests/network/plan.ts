import { join } from 'node:path';
import { ROOT } from '../fleet/fleet.js';

export type Plan = {
  latencyMs: number;
  rounds: number;
  /** Reports progress. */
  note(text: string): void;
};

/**
 * Settings of every measured installation. The debounce period is zero, so that the times contain only
 * MergeXO's own work, the network and the pause between polls. The visibility window has its default, because
 * it decides which requests repeat. The programs are those of the npm package, which starts faster than a
 * checkout.
 */
export const SETTINGS = {
  pollSeconds: 1,
  debounceSeconds: 0,
  windowSeconds: 120,
  logLevel: 'info',
  programs: join(ROOT, 'packaging/dist/package'),
} as const;

/** Returns the time without counted requests after which MergeXO is idle: longer than one poll and the pause after it. */
export function computeQuietMs(latencyMs: number): number {
  return SETTINGS.pollSeconds * 2_000 + 12 * latencyMs;
}

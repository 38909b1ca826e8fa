import { USAGE_EXIT_CODE } from '@mergexo/core/basics';

/** How many times a child died, and how many times in a row it failed to start. */
export type Past = { deaths: number; complaints: number };
export type Life = { code: number | null; livedMs: number; wasReady: boolean };
export type Restart = { kind: 'restart'; delayMs: number; past: Past } | { kind: 'give-up' };

export const NO_DEATHS: Past = { deaths: 0, complaints: 0 };

const HEALTHY_MS = 60_000;
/** An exit within this time counts as a failed start. A slow machine may need that long to report a failure. */
const STARTING_MS = 30_000;
const MAX_COMPLAINTS = 3;
const MAX_DELAY_MS = 30_000;

/**
 * Restarts after 1, 2, 4 … 30 seconds, and again after 1 second once the child has run for a minute. Gives up after
 * three failed starts in a row. Optional programs are retried forever.
 */
export function decideRestart(
  before: Past,
  { code, livedMs, wasReady }: Life,
  { isOptional = false }: { isOptional?: boolean | undefined } = {},
): Restart {
  const { deaths, complaints } = livedMs >= HEALTHY_MS ? NO_DEATHS : before;
  const refused = (code === 1 || code === USAGE_EXIT_CODE) && !wasReady && livedMs < STARTING_MS;
  const past = { deaths: deaths + 1, complaints: refused ? complaints + 1 : 0 };
  if (past.complaints >= MAX_COMPLAINTS && !isOptional) return { kind: 'give-up' };
  return { kind: 'restart', delayMs: Math.min(1_000 * 2 ** deaths, MAX_DELAY_MS), past };
}

import { USAGE_EXIT_CODE } from '@mergexo/core/basics';

/** How many times a child exited, and how many times in a row it failed to start. */
export type RestartHistory = { exits: number; failedStarts: number };
export type Exit = { code: number | null; uptimeMs: number; wasReady: boolean };
export type Restart = { kind: 'restart'; delayMs: number; history: RestartHistory } | { kind: 'give-up' };

export const NO_EXITS: RestartHistory = { exits: 0, failedStarts: 0 };

const HEALTHY_MS = 60_000;
/** An exit within this time counts as a failed start. A slow machine may need that long to report a failure. */
const STARTING_MS = 30_000;
const MAX_FAILED_STARTS = 3;
const MAX_DELAY_MS = 30_000;

/**
 * Decides whether to restart a child, after 1, 2, 4 … 30 seconds. The delay resets to 1 second once the child has run
 * for a minute. Gives up after three failed starts in a row. Optional programs are retried forever.
 */
export function decideRestart(
  before: RestartHistory,
  { code, uptimeMs, wasReady }: Exit,
  { isOptional = false }: { isOptional?: boolean | undefined } = {},
): Restart {
  const { exits, failedStarts } = uptimeMs >= HEALTHY_MS ? NO_EXITS : before;
  const failedToStart = (code === 1 || code === USAGE_EXIT_CODE) && !wasReady && uptimeMs < STARTING_MS;
  const history = { exits: exits + 1, failedStarts: failedToStart ? failedStarts + 1 : 0 };
  if (history.failedStarts >= MAX_FAILED_STARTS && !isOptional) return { kind: 'give-up' };
  return { kind: 'restart', delayMs: Math.min(1_000 * 2 ** exits, MAX_DELAY_MS), history };
}

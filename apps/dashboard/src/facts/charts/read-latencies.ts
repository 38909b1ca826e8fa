import type { Snapshot } from '@mergexo/state';

/**
 * Returns the latency of each reply, from the comment's time on GitHub to the end of the turn. Ignores skipped
 * comments.
 */
export function readLatencies(
  { sqlite }: Snapshot,
  since: number,
): { answeredAt: number; seconds: number }[] {
  return sqlite
    .prepare<[number], [answeredAt: number, saidAt: string]>(
      `select processed_at, updated_at from feedback_events
       where processed_at >= ? and skip_reason is null`,
    )
    .raw()
    .all(since)
    .flatMap(([answeredAt, saidAt]) => {
      const seconds = (answeredAt - Date.parse(saidAt)) / 1_000;
      // GitHub's clock may be slightly ahead of the local clock.
      return Number.isFinite(seconds) ? [{ answeredAt, seconds: Math.max(0, seconds) }] : [];
    });
}

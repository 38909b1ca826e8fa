import { UsageError } from '@mergexo/core/basics';

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 24 * 3_600_000 } as const;

/** Reads a duration before now, such as `10m`, or a time. */
export function parseSince(text: string, now: number): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (unit === 's' || unit === 'm' || unit === 'h' || unit === 'd')
    return now - Number(count) * UNIT_MS[unit];
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(
    `--since must be a duration such as 90s, 10m, 2h or 3d, or a time such as 2026-02-03T04:05:06Z, not ${JSON.stringify(text)}.`,
  );
}

export { formatTime } from '@mergexo/core/timeline';

export function formatDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Formats a duration in its two largest units: `1m 35s`, `2h 5m`, `3d 4h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const units = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor(seconds / 3_600) % 24],
    ['m', Math.floor(seconds / 60) % 60],
    ['s', seconds % 60],
  ] as const;
  const first = units.findIndex(([, value]) => value > 0);
  if (first < 0) return '0s';
  return units
    .slice(first, first + 2)
    .filter(([, value]) => value > 0)
    .map(([unit, value]) => `${value}${unit}`)
    .join(' ');
}

/** Formats an age in its largest unit. The text changes rarely, so that a live page does not change on every refresh. */
export function formatAge(ms: number): string {
  if (ms < 60_000) return 'just now';
  return `${formatDuration(ms).split(' ')[0]} ago`;
}

/** Formats a count as `950`, `1.2k` or `3.4M`. */
export function formatCount(value: number): string {
  if (value >= 999_500) return `${trim(value / 1e6)}M`;
  return value >= 1_000 ? `${trim(value / 1_000)}k` : trim(value);
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

/** Formats an amount the same way on every page. */
export function formatMoney(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 3 : 2)}`;
}

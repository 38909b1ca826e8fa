/** Describes measured times in milliseconds. */
export function describeTimes(times: readonly number[]): { median: number; p95: number; text: string } {
  const sorted = [...times].sort((one, other) => one - other);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  const text = `p50 ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms`;
  return { median: at(0.5), p95: at(0.95), text };
}

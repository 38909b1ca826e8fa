/** True if objects and arrays are nested more than `limit` levels deep. Stops at the limit, so any depth is safe. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return limit === 0 || Object.values(value).some((inner) => isDeeperThan(inner, limit - 1));
}

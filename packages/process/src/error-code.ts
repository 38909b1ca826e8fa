/**
 * Returns the error's code. Checks the shape instead of `instanceof`, because Node may create the error in a different
 * realm.
 */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

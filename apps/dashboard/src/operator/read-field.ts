/** Reads a field of a submitted form. Returns undefined if it is absent or has another shape. */
export function readField(body: unknown, name: string, shape: RegExp): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}

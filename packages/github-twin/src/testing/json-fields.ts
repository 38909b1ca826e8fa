/** Reads a nested field of parsed JSON. Returns undefined if the field is missing. */
export function at(value: unknown, ...keys: (string | number)[]): unknown {
  return keys.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner.at(Number(key));
    return isRecord(inner) ? inner[key] : undefined;
  }, value);
}

/** Reads the same field from every row of a list. */
export function each(list: unknown, ...keys: (string | number)[]): unknown[] {
  return Array.isArray(list) ? list.map((row) => at(row, ...keys)) : [];
}

function isRecord(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

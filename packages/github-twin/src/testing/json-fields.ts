/** Walks into parsed JSON; undefined where there is nothing. */
export function at(value: unknown, ...keys: (string | number)[]): unknown {
  return keys.reduce<unknown>((inner, key) => {
    if (Array.isArray(inner)) return inner.at(Number(key));
    return isRecord(inner) ? inner[key] : undefined;
  }, value);
}

/** The same field of every row of a list. */
export function each(list: unknown, ...keys: (string | number)[]): unknown[] {
  return Array.isArray(list) ? list.map((row) => at(row, ...keys)) : [];
}

function isRecord(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null;
}

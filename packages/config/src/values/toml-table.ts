export type TomlTable = Record<string, unknown>;

/** Dates are objects too, but never tables. */
export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

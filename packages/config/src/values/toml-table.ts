export type TomlTable = Record<string, unknown>;

/** True only for tables. Arrays and TOML dates are objects too, but not tables. */
export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Rules that providers refuse or know only in part; the answer is checked against all of them here. */
const DROPPED = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'];

/** The shape alone. A schema that the provider does not like fails every turn. */
export function simplifySchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplifySchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !(DROPPED.includes(name) && typeof value !== 'object'))
      .map(([name, value]) => [name, simplifySchema(value)]),
  );
}

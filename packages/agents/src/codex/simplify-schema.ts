/** Keywords that providers refuse or support in part. MergeXO checks the answer against all of them. */
const DROPPED = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'];

/** Removes those keywords: every turn fails if the provider does not accept the schema. */
export function simplifySchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplifySchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !(DROPPED.includes(name) && typeof value !== 'object'))
      .map(([name, value]) => [name, simplifySchema(value)]),
  );
}

import type { Slice } from './slice.js';

/** Where GitHub's real answers carry null although the official schema forbids it. The twin emits these nulls. */
export const OVERRIDES: { schema: string; field: string; cite: string }[] = [
  ...['pull-request-review-comment', 'review-comment'].flatMap((schema) => [
    { schema, field: 'line', cite: 'github/rest-api-description#5568: null on outdated comments' },
    { schema, field: 'position', cite: 'github/rest-api-description#1901: null on outdated comments' },
  ]),
  { schema: 'diff-entry', field: 'blob_url', cite: 'github/rest-api-description#5563: null for submodules' },
  { schema: 'diff-entry', field: 'raw_url', cite: 'github/rest-api-description#5563: null for submodules' },
];

/** `labels[].description` of a listed pull request is nullable everywhere else: github/rest-api-description#1812. */
export const NULLABLE_LABEL_DESCRIPTION = 'pull-request-simple';

/**
 * Turns OpenAPI 3.0 into JSON schema, a dialect that ajv knows: `nullable` becomes a choice with null, whatever stands beside it.
 */
export function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (!isObject(value)) return value;
  const parts = Object.entries(value).filter(([key, part]) => key !== 'nullable' || part !== true);
  const inner = Object.fromEntries(parts.map(([key, part]) => [key, toJsonSchema(part)]));
  return value['nullable'] === true ? { anyOf: [inner, { type: 'null' }] } : inner;
}

export function applyOverrides(slice: Slice): void {
  for (const { schema, field } of OVERRIDES) {
    const properties = slice.components.schemas[schema]?.['properties'];
    const property = isObject(properties) ? properties[field] : undefined;
    if (isObject(property)) property['nullable'] = true;
  }
  const label = dig(slice.components.schemas[NULLABLE_LABEL_DESCRIPTION], [
    'properties',
    'labels',
    'items',
    'properties',
    'description',
  ]);
  if (isObject(label)) label['nullable'] = true;
}

function dig(value: unknown, keys: string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

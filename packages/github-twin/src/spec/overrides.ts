import type { Spec } from './load-spec.js';

/**
 * Fields that are sometimes null in GitHub's responses, even though its schema forbids null. The twin sends null too.
 */
export const OVERRIDES: { schema: string; field: string; cite: string }[] = [
  ...['pull-request-review-comment', 'review-comment'].flatMap((schema) => [
    { schema, field: 'line', cite: 'github/rest-api-description#5568: null on outdated comments' },
    { schema, field: 'position', cite: 'github/rest-api-description#1901: null on outdated comments' },
  ]),
  {
    schema: 'pull-request-simple',
    field: 'labels.items.properties.description',
    cite: 'github/rest-api-description#1812: nullable everywhere else',
  },
  { schema: 'diff-entry', field: 'blob_url', cite: 'github/rest-api-description#5563: null for submodules' },
  { schema: 'diff-entry', field: 'raw_url', cite: 'github/rest-api-description#5563: null for submodules' },
];

/** Lists whose rows are described inline, and wrongly, although the description also has the right schema. */
export const RENAMED_ROWS: { template: string; schema: string; why: string }[] = [
  {
    template: '/app/installations',
    schema: 'installation',
    why: 'the inline rows demand that an account is a user and an enterprise at once (allOf instead of anyOf)',
  },
];

/** Converts OpenAPI 3.0 to JSON Schema for ajv: `nullable` becomes a choice between the schema and null. */
export function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (!isObject(value)) return value;
  const parts = Object.entries(value).filter(([key, part]) => key !== 'nullable' || part !== true);
  const inner = Object.fromEntries(parts.map(([key, part]) => [key, toJsonSchema(part)]));
  return value['nullable'] === true ? { anyOf: [inner, { type: 'null' }] } : inner;
}

export function applyOverrides(spec: Spec): void {
  for (const { schema, field } of OVERRIDES) {
    const property = dig(spec.components.schemas[schema]?.['properties'], field.split('.'));
    if (isObject(property)) property['nullable'] = true;
  }
  for (const { template, schema } of RENAMED_ROWS) {
    const rows = responseOf(spec, template);
    if (rows) rows['items'] = { $ref: `#/components/schemas/${schema}` };
  }
}

function responseOf(spec: Spec, template: string): Record<string, unknown> | undefined {
  const response = spec.paths[template]?.['get']?.responses['200'];
  return response && 'content' in response ? response.content?.['application/json']?.schema : undefined;
}

function dig(value: unknown, keys: string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

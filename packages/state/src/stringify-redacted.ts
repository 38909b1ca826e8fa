import type { Redact } from '@mergexo/core/text';

/** Redacts each string separately, because a match across a quote would break the JSON. */
export function stringifyRedacted(value: object, redact: Redact): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? redact(part) : part));
}

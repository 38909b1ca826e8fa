import type { Redact } from './redact.js';

/**
 * Redacts every string and field name in plain data. Call this before rendering, which may join lines and so hide a
 * secret, and before serializing, because redaction could break the JSON.
 */
export function redactStrings<T>(data: T, redact: Redact): T {
  return JSON.parse(redactJson(JSON.stringify(data), redact));
}

/** Redacts every string and field name in JSON. The result is valid JSON. */
export function redactJson(json: string, redact: Redact): string {
  const data: unknown = JSON.parse(json);
  // Most data contains no secret, and one search in the joined texts is faster than a search in each text.
  const joined = listTexts(data).join(SEPARATOR);
  return redact(joined) === joined ? json : JSON.stringify(redactValue('', data, redact));
}

/** No pattern and no encoding treats this character as part of a secret. */
const SEPARATOR = '\u0001';

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === 'string' ? [`${name}: ${field}`] : [name, ...listTexts(field)],
  );
}

function redactValue(name: string, value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redactField(name, value, redact);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactValue('', item, redact));
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [redact(key), redactValue(key, field, redact)]),
  );
}

/** Redacts an authorization header together with its name, because the credential alone may look like a word. */
function redactField(name: string, value: string, redact: Redact): string {
  const clean = redact(value);
  if (!/authorization$/i.test(name)) return clean;
  return redact(`authorization: ${clean}`).slice('authorization: '.length);
}

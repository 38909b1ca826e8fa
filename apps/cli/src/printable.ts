import { escapeInvisible } from '@mergexo/core/printable';
import type { Redact } from '@mergexo/core/text';

export { toLine, toPrintable } from '@mergexo/core/printable';

/**
 * Renders JSON and also escapes the invisible characters that JSON.stringify keeps. Redacts each text separately,
 * because redaction of the finished JSON could break it.
 */
export function toPrintableJson(
  value: unknown,
  { indent = 2, redact = (text: string) => text }: { indent?: number; redact?: Redact | undefined } = {},
): string {
  const redactText = (_key: string, field: unknown) => (typeof field === 'string' ? redact(field) : field);
  return escapeInvisible(JSON.stringify(value, redactText, indent));
}

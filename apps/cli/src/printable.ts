import type { Redact } from '@mergexo/core/text';

export { toLine, toPrintable } from '@mergexo/core/printable';

const INVISIBLE_IN_JSON = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Renders JSON and also escapes the invisible characters that JSON.stringify keeps. Redacts each text separately,
 * because redaction of the finished JSON could break it.
 */
export function toPrintableJson(
  value: unknown,
  { indent = 2, redact = (text: string) => text }: { indent?: number; redact?: Redact | undefined } = {},
): string {
  const redactText = (_key: string, field: unknown) => (typeof field === 'string' ? redact(field) : field);
  return JSON.stringify(value, redactText, indent).replace(INVISIBLE_IN_JSON, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

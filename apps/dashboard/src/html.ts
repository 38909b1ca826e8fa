const MADE = Symbol('html');

/**
 * Escaped HTML. A value from the database or a request cannot have this symbol as a key, so `html` always escapes it.
 */
export type Html = { readonly [MADE]: string };

type Value = string | number | Html | readonly Html[] | null | undefined | false;

/** Escapes every value except the results of other `html` templates. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const text = parts.reduce((done, part, index) => done + toText(values[index - 1]) + part);
  return { [MADE]: text };
}

export function render(made: Html): string {
  return made[MADE];
}

function toText(value: Value): string {
  if (value === null || value === undefined || value === false) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  return MADE in value ? value[MADE] : value.map(render).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Invisible characters and characters that change the text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function escapeText(text: string): string {
  return text
    .replace(UNSEEN, '')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

/** Returns only http and https URLs, so that no other scheme becomes a link. */
export function toWebUrl(url: string | null): string | undefined {
  if (url === null || !URL.canParse(url)) return undefined;
  return ['http:', 'https:'].includes(new URL(url).protocol) ? url : undefined;
}

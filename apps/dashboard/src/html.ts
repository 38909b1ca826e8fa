const MADE = Symbol('html');

/** Finished HTML. Nothing that comes from a database or a request has the symbol, so nothing else passes unescaped. */
export type Html = { readonly [MADE]: string };

type Value = string | number | Html | readonly Html[] | null | undefined | false;

/** A template whose every value is escaped, unless it was made by such a template itself. */
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

/** What is not seen, or turns the text around so that it reads as something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be removed
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

function escapeText(text: string): string {
  return text
    .replace(UNSEEN, '')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

/** An address of the web, or undefined: no other scheme becomes a link. */
export function toWebUrl(url: string | null): string | undefined {
  if (url === null || !URL.canParse(url)) return undefined;
  return ['http:', 'https:'].includes(new URL(url).protocol) ? url : undefined;
}

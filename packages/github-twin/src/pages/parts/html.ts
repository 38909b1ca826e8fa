/** Safe markup: `html` makes it from literals and escaped user text. */
export type Html = { readonly markup: string };
export type Part = Html | string | number | null | undefined | false | readonly Part[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\0': '\ufffd',
};

export function escapeText(text: string): string {
  return text.replace(/[&<>"'\0]/g, (character) => ESCAPES[character] ?? '');
}

/** Escapes all template values that are not markup. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const pieces = strings.flatMap((text, index) =>
    index < parts.length ? [text, toMarkup(parts[index])] : [text],
  );
  return { markup: pieces.join('') };
}

/** Marks text as safe. Use it only for output of the Markdown renderer, which escapes its input. */
export const trusted = (markup: string): Html => ({ markup });

function toMarkup(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part));
  return isList(part) ? part.map(toMarkup).join('') : part.markup;
}

function isList(part: Html | readonly Part[]): part is readonly Part[] {
  return Array.isArray(part);
}

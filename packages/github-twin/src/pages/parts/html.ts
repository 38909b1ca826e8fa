/** Markup that is safe to send: made by `html` from literals of ours and escaped text of others. */
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

/** Whatever is put into the template is escaped unless it is markup already. Attributes must be quoted. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  const pieces = strings.flatMap((text, index) =>
    index < parts.length ? [text, toMarkup(parts[index])] : [text],
  );
  return { markup: pieces.join('') };
}

/** For what was escaped piece by piece, by the Markdown renderer. */
export const trusted = (markup: string): Html => ({ markup });

function toMarkup(part: Part): string {
  if (part === null || part === undefined || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part));
  return isList(part) ? part.map(toMarkup).join('') : part.markup;
}

function isList(part: Html | readonly Part[]): part is readonly Part[] {
  return Array.isArray(part);
}

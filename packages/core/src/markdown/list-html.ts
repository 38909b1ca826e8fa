import type { Token } from 'markdown-it';

/** Lists all HTML, including tags from Markdown except `<p>`. Browsers do not always end HTML where Markdown does. */
export function listHtml(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ type, content, children, tag, nesting }) => {
    if (type === 'html_block' || type === 'html_inline') return [content];
    if (nesting !== 0 && tag !== 'p') return [nesting === 1 ? `<${tag}>` : `</${tag}>`];
    // The alt text of an image becomes an attribute, so it contains no tags.
    return type === 'image' ? [] : listHtml(children ?? []);
  });
}

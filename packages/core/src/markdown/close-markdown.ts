import MarkdownIt, { type Token } from 'markdown-it';
import { balanceTags } from './balance-tags.js';
import { showHtml } from './show-html.js';

/** Deeper than people write. The parser skips the content of deeper quotes and lists. */
const MAX_NESTING = 100;

/** Parsers differ on where a definition of a link or a footnote begins, so what stands in one is read as HTML too. */
const parser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING }).disable('reference');

/**
 * The text with everything closed that would take in the lines below it: code fences, `<details>` and other HTML.
 * HTML that closing tags cannot repair is shown as text. A blank line must follow: it ends all else in Markdown.
 */
export function closeMarkdown(text: string): string {
  if (!/`{3}|~{3}|<[A-Za-z/?!]/.test(text)) return text;
  const tokens = parse(text);
  const closed = close(text, tokens);
  if (closed !== undefined) return closed;
  const shown = showHtmlOutside(listCode(tokens), text);
  const all = showHtml(text);
  return close(shown, parse(shown)) ?? closeFence(all, parse(all));
}

/** With a line below the text, which an open block takes in. */
function parse(text: string): Token[] {
  return parser.parse(`${text}\n\nx`, {});
}

/** Undefined where closing tags are not enough. */
function close(text: string, tokens: readonly Token[]): string | undefined {
  if (tokens.some(({ level }) => level >= MAX_NESTING - 1)) return undefined;
  const tags = balanceTags(listHtml(tokens));
  if (tags === undefined) return undefined;
  const closed = closeFence(text, tokens);
  return tags.length === 0 ? closed : `${closed}\n\n${tags.join('\n')}`;
}

/** Only a fence at the top level stays open: one in a list or a quote ends where that ends. */
function closeFence(text: string, tokens: readonly Token[]): string {
  const last = tokens.at(-1);
  return last?.type === 'fence' ? `${text}\n${last.markup}` : text;
}

/** With the tags that Markdown makes, but for paragraphs: a browser does not end HTML in all of them where Markdown does. */
function listHtml(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ type, content, children, tag, nesting }) => {
    if (type === 'html_block' || type === 'html_inline') return [content];
    if (nesting !== 0 && tag !== 'p') return [nesting === 1 ? `<${tag}>` : `</${tag}>`];
    // The text of an image becomes an attribute.
    return type === 'image' ? [] : listHtml(children ?? []);
  });
}

/** The lines of code blocks: nothing in them is HTML, and readers copy them. */
function listCode(tokens: readonly Token[]): Set<number> {
  const blocks = tokens.filter(({ type }) => type === 'fence' || type === 'code_block');
  return new Set(
    blocks.flatMap(({ map }) => {
      const [start, end] = map ?? [0, 0];
      return Array.from({ length: end - start }, (_, index) => start + index);
    }),
  );
}

function showHtmlOutside(code: ReadonlySet<number>, text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  return lines.map((line, at) => (code.has(at) ? line : showHtml(line))).join('\n');
}

import MarkdownIt, { type Token } from 'markdown-it';
import { balanceTags } from './balance-tags.js';
import { breakTables, countCells, MAX_CELLS } from './count-cells.js';
import { listHtml } from './list-html.js';
import { showHtml } from './show-html.js';

/**
 * Maximum nesting of quotes and lists; a list counts twice. The parser skips deeper content, and its time grows with
 * the nesting. HTML in a text that nests more deeply is escaped.
 */
const MAX_NESTING = 10;

/** Treats link and footnote definitions as ordinary text, because parsers disagree on where definitions begin. */
const parser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING }).disable('reference');

/**
 * Closes code fences, `<details>` and other HTML that would include the lines below the text. Escapes HTML that closing
 * tags cannot repair, and breaks up huge tables. The caller must add a blank line, which ends every other Markdown
 * block.
 */
export function closeMarkdown(written: string): string {
  if (!/`{3}|~{3}|<[A-Za-z/?!]/.test(written)) return written;
  const text = countCells(written) > MAX_CELLS ? breakTables(written) : written;
  const tokens = parse(text);
  const closed = close(text, tokens);
  if (closed !== undefined) return closed;
  const shown = showHtmlOutside(listCode(tokens), text);
  const all = showHtml(text);
  return close(shown, parse(shown)) ?? closeFence(all, parse(all));
}

/** Parses the text with one more line below it. A block that the text leaves open includes that line. */
function parse(text: string): Token[] {
  return parser.parse(`${text}\n\nx`, {});
}

/** Closes the open Markdown; undefined if closing tags alone cannot balance the HTML. */
function close(text: string, tokens: readonly Token[]): string | undefined {
  if (tokens.some(({ level }) => level >= MAX_NESTING - 1)) return undefined;
  if (tokens.some(hasTagInDefinition)) return undefined;
  const tags = balanceTags(listHtml(tokens));
  if (tags === undefined) return undefined;
  const closed = closeFence(text, tokens);
  return tags.length === 0 ? closed : `${closed}\n\n${tags.join('\n')}`;
}

/** True for a paragraph with HTML and a definition of a link or footnote, which GitHub may hide together with its HTML. */
function hasTagInDefinition({ content, children }: Token): boolean {
  if (!/^[ \t]*\[/m.test(content) || !content.includes(']:')) return false;
  return (children ?? []).some(({ type }) => type === 'html_inline');
}

/** Closes an open fence at the top level. A fence in a list or quote ends with its container. */
function closeFence(text: string, tokens: readonly Token[]): string {
  const last = tokens.at(-1);
  return last?.type === 'fence' ? `${text}\n${last.markup}` : text;
}

/**
 * Returns the line numbers of code blocks. GitHub shows HTML there as text, and escaping it would change the code that
 * readers copy.
 */
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

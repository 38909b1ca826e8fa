import MarkdownIt, { type Token } from 'markdown-it';
import { balanceTags } from './balance-tags.js';
import { listHtml } from './list-html.js';

const parser = new MarkdownIt({ html: true, maxNesting: 100 }).disable('reference');

/**
 * Lists the numbers of the lines that GitHub shows as text at the top level. Quotes, lists, code, HTML comments, folded
 * sections, definitions of links, footnotes and paragraphs with HTML have no such lines.
 */
export function listVisibleLines(text: string): ReadonlySet<number> {
  const lines = text.split('\n').map((line) => line.trim());
  const visible = new Set<number>();
  /** Closing tags that the HTML so far lacks, innermost first. */
  let missing: readonly string[] = [];
  let last: Token | undefined;
  /** The line after the latest definition and the indented text that follows it, which may belong to it. */
  let definitionEnd = -1;
  for (const token of parser.parse(text, {})) {
    const [start, end] = token.map ?? [0, 0];
    if (token.type === 'code_block' && definitionEnd >= 0) definitionEnd = end;
    if (
      last?.type === 'paragraph_open' &&
      (start === definitionEnd || hasDefinition(lines.slice(start, end)))
    )
      definitionEnd = end;
    else if (last?.type === 'paragraph_open' && missing.length === 0) {
      const shown = listLines(token.children ?? []);
      for (let at = start; at < end; at += 1)
        if (shown.some((line) => isSame(line, lines[at] ?? ''))) visible.add(at);
    }
    const opened = missing.map((tag) => tag.replace('/', '')).reverse();
    const now = balanceTags([...opened, ...listHtml([token])]);
    // No later tag can balance the HTML, so GitHub may hide all later text.
    if (now === undefined) return visible;
    missing = now;
    last = token;
  }
  return visible;
}

/** True if GitHub hides a part of the paragraph: the definition of a link, or a footnote without a reference. */
function hasDefinition(lines: readonly string[]): boolean {
  const [first = ''] = lines;
  return (
    (first.startsWith('[') && lines.some((line) => line.includes(']:'))) ||
    lines.some((line) => line.startsWith('[^'))
  );
}

type Line = { start: string; isPlain: boolean };

/** Lists the lines of a paragraph with the text at their start, except lines that start with code or are struck out. */
function listLines(children: readonly Token[]): Line[] {
  if (children.some(({ type }) => type === 'html_inline')) return [];
  const lines: Line[] = [{ start: '', isPlain: true }];
  let isStruck = false;
  for (const { type, tag, nesting, content } of children) {
    const line = lines.at(-1);
    if (tag === 's') isStruck = nesting === 1;
    if (type.endsWith('break')) lines.push({ start: '', isPlain: !isStruck });
    else if (line?.isPlain && type === 'text') line.start += content;
    else if (line !== undefined) line.isPlain = false;
  }
  return lines
    .map(({ start, isPlain }) => ({ start: start.trim(), isPlain }))
    .filter(({ start }) => start !== '');
}

/**
 * True if the source of a line renders as this text. In a line that is not plain, a mark such as a backtick follows
 * the text.
 */
function isSame({ start, isPlain }: Line, source: string): boolean {
  if (isPlain) return source === start;
  return source.startsWith(start) && /^\s*[`*_~[!&\\]/.test(source.slice(start.length));
}

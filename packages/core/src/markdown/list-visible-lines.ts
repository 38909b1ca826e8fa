import MarkdownIt, { type Token } from 'markdown-it';
import { openTags } from './balance-tags.js';
import { countCells, MAX_CELLS } from './count-cells.js';
import { listHtml } from './list-html.js';

/** Maximum nesting of quotes and lists. The parser skips deeper content, and its time grows with the nesting. */
const MAX_NESTING = 20;

const parser = new MarkdownIt({ html: true, maxNesting: MAX_NESTING }).disable('reference');

/**
 * Lists the numbers of the lines that GitHub shows as top-level text. Skips quotes, lists, code, HTML comments,
 * collapsed sections, link definitions, footnotes and paragraphs with HTML. Lists no lines of a text with huge tables,
 * because parsing such a text would stall the poller.
 */
export function listVisibleLines(text: string): ReadonlySet<number> {
  const lines = text.split('\n').map((line) => line.trim());
  const visible = new Set<number>();
  if (countCells(text) > MAX_CELLS) return visible;
  const math = findMath(lines);
  /** Tags that are still open. */
  let open: readonly string[] = [];
  let last: Token | undefined;
  /** The line after the latest definition. Indented text below a definition may be part of it. */
  let definitionEnd = -1;
  for (const token of parser.parse(text, {})) {
    // The parser skips the content, which may hide all later text.
    if (token.level >= MAX_NESTING - 1) return visible;
    const [start, end] = token.map ?? [0, 0];
    if (token.type === 'code_block' && definitionEnd >= 0) definitionEnd = end;
    if (
      last?.type === 'paragraph_open' &&
      (start === definitionEnd || hasDefinition(lines.slice(start, end)))
    )
      definitionEnd = end;
    else if (last?.type === 'paragraph_open' && open.length === 0) {
      const isShown = createIsShown(token.children ?? []);
      for (let at = start; at < end; at += 1) if (!math.has(at) && isShown(lines[at] ?? '')) visible.add(at);
    }
    const now = openTags(listHtml([token]), open);
    // No later tag can balance the HTML, so GitHub may hide all later text.
    if (now === undefined) return visible;
    open = now;
    last = token;
  }
  return visible;
}

/**
 * Returns the lines that may be part of a formula, which can hide its text: all from the first to the last dollar sign.
 * The lines between two prices count too. A comment with a command seldom has both.
 */
function findMath(lines: readonly string[]): ReadonlySet<number> {
  const marked = lines.flatMap((line, at) => (line.includes('$') ? [at] : []));
  const [first = 0, last = -1] = [marked[0], marked.at(-1)];
  return new Set(Array.from({ length: last - first + 1 }, (_, index) => first + index));
}

/** True if GitHub hides part of the paragraph: a link definition, or a footnote that nothing refers to. */
function hasDefinition(lines: readonly string[]): boolean {
  const [first = ''] = lines;
  return (
    (first.startsWith('[') && lines.some((line) => line.includes(']:'))) ||
    lines.some((line) => line.startsWith('[^'))
  );
}

type Line = { start: string; isPlain: boolean };

/** Lists the lines of a paragraph with their leading text. Omits lines that start with code or are struck out. */
function listLines(children: readonly Token[]): Line[] {
  if (children.some(hidesText)) return [];
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

const HIDING = ['![', '][', '~', '<!', '<?'];

/**
 * True for text that GitHub may hide: HTML, the start of a reference-style image, the label of a reference-style link,
 * and text with a tilde. GitHub shows the text of an image only if the image does not load. A single tilde strikes out text on
 * GitHub, but not in this parser. After one unclosed `<!` or `<?`, this parser shows all later ones as text.
 */
function hidesText({ type, content }: Token): boolean {
  return type === 'html_inline' || (type === 'text' && HIDING.some((mark) => content.includes(mark)));
}

/** Maximum number of Markdown marks to try in a line. No command contains that many. */
const MAX_MARKS = 8;

/**
 * Returns a function that checks whether a source line renders as a line of this paragraph. For a line with
 * Markdown, compares only the text before a mark such as a backtick.
 */
function createIsShown(children: readonly Token[]): (source: string) => boolean {
  const lines = listLines(children);
  const plain = new Set(lines.filter(({ isPlain }) => isPlain).map(({ start }) => start));
  const starts = new Set(lines.filter(({ isPlain }) => !isPlain).map(({ start }) => start));
  return (source) => {
    if (plain.has(source)) return true;
    let marks = 0;
    for (const { index } of source.matchAll(/[`*_~[!&\\]/g)) {
      marks += 1;
      if (marks > MAX_MARKS) return false;
      if (starts.has(source.slice(0, index).trimEnd())) return true;
    }
    return false;
  };
}

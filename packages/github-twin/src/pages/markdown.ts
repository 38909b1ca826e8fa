import { escapeText, type Html, trusted } from './html.js';
import { type MarkdownPlace, renderInline } from './markdown-inline.js';

/** How deep quotes and lists nest; what is deeper is text. It keeps the work linear and the stack small. */
const DEEPEST = 8;

type Block = { markup: string; next: number };
type Context = { place: MarkdownPlace; depth: number; tight: boolean };
type Rule = (lines: string[], at: number, context: Context) => Block | undefined;

/** The part of GitHub's Markdown that people use in conversations. Raw HTML is shown as text, comments not at all. */
export function renderMarkdown(text: string, place: MarkdownPlace): Html {
  const lines = text.replace(/\r\n?/g, '\n').split('\n').map(expandTabs);
  return trusted(renderBlocks(lines, { place, depth: 0, tight: false }));
}

function expandTabs(line: string): string {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  return indent.includes('\t') ? indent.replaceAll('\t', '    ') + line.slice(indent.length) : line;
}

const RULES: Rule[] = [readComment, readFence, readHeading, readRule, readQuote, readList];

function renderBlocks(input: string[], context: Context): string {
  // A copy: what follows a comment's end on its line is put back as a line of its own.
  const lines = [...input];
  const output: string[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    const text = paragraph.join('\n');
    const inline = renderInline(text, context.place);
    if (text !== '') output.push(context.tight ? inline : `<p>${inline}</p>`);
    paragraph = [];
  };
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const underline = paragraph.length > 0 ? /^ {0,3}(=+|-+) *$/.exec(line)?.[1] : undefined;
    if (underline) {
      const level = underline.startsWith('=') ? 1 : 2;
      output.push(`<h${level}>${renderInline(paragraph.join('\n'), context.place)}</h${level}>`);
      paragraph = [];
      at += 1;
      continue;
    }
    const block = readBlock(lines, at, context);
    if (block || line.trim() === '') flush();
    if (block) output.push(block.markup);
    else if (line.trim() !== '') paragraph.push(line.trim());
    at = block?.next ?? at + 1;
  }
  flush();
  return output.filter(Boolean).join('\n');
}

function readBlock(lines: string[], at: number, context: Context): Block | undefined {
  for (const rule of RULES) {
    const block = rule(lines, at, context);
    if (block) return block;
  }
  return undefined;
}

/** A comment that nothing ends hides the rest, as on GitHub. */
function readComment(lines: string[], at: number): Block | undefined {
  const start = /^ {0,3}<!--/.exec(lines[at] ?? '');
  if (!start) return undefined;
  for (let next = at; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const end = line.indexOf('-->', next === at ? start[0].length : 0);
    if (end < 0) continue;
    lines[next] = line.slice(end + 3);
    return { markup: '', next };
  }
  return { markup: '', next: lines.length };
}

function readFence(lines: string[], at: number): Block | undefined {
  const [, indent = '', fence = '', info = ''] = /^( {0,3})(`{3,}|~{3,})([^`]*)$/.exec(lines[at] ?? '') ?? [];
  if (fence === '') return undefined;
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end] ?? '', fence)) end += 1;
  const code = lines.slice(at + 1, end).map((line) => stripIndent(line, indent.length));
  const language = /^\s*([\w+#-]{1,30})/.exec(info)?.[1];
  const name = language ? ` data-language="${escapeText(language)}"` : '';
  const body = escapeText(code.map((line) => `${line}\n`).join(''));
  return { markup: `<pre${name}><code>${body}</code></pre>`, next: end + 1 };
}

function closesFence(line: string, fence: string): boolean {
  const end = line.trim();
  return end.length >= fence.length && end === (fence[0] ?? '`').repeat(end.length);
}

function stripIndent(line: string, width: number): string {
  const have = /^ */.exec(line)?.[0].length ?? 0;
  return line.slice(Math.min(have, width));
}

function readHeading(lines: string[], at: number, { place }: Context): Block | undefined {
  const [found, marks = '', rest = ''] = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/.exec(lines[at] ?? '') ?? [];
  if (found === undefined) return undefined;
  const level = marks.length;
  return { markup: `<h${level}>${renderInline(trimMarks(rest.trim()), place)}</h${level}>`, next: at + 1 };
}

function trimMarks(text: string): string {
  let end = text.length;
  while (text[end - 1] === '#') end -= 1;
  return end === 0 || text[end - 1] === ' ' ? text.slice(0, end).trimEnd() : text;
}

function readRule(lines: string[], at: number): Block | undefined {
  const line = lines[at] ?? '';
  return /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/.test(line)
    ? { markup: '<hr>', next: at + 1 }
    : undefined;
}

const QUOTE = /^ {0,3}> ?/;

function readQuote(lines: string[], at: number, context: Context): Block | undefined {
  if (context.depth >= DEEPEST || !QUOTE.test(lines[at] ?? '')) return undefined;
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end] ?? '')) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  const markup = renderBlocks(inner, { ...context, depth: context.depth + 1, tight: false });
  return { markup: `<blockquote>${markup}</blockquote>`, next: end };
}

type Marker = { width: number; ordered: boolean; start: number };
type Item = { lines: string[]; next: number };

function readMarker(line: string): Marker | undefined {
  const [found, indent = '', mark = '', gap = ''] = /^( {0,3})([-*+]|\d{1,9}[.)])( {1,4}|$)/.exec(line) ?? [];
  if (found === undefined) return undefined;
  const ordered = /\d/.test(mark);
  const width = indent.length + mark.length + Math.max(1, gap.length);
  return { width, ordered, start: ordered ? Number.parseInt(mark, 10) : 1 };
}

function readList(lines: string[], at: number, context: Context): Block | undefined {
  const first = readMarker(lines[at] ?? '');
  if (!first || context.depth >= DEEPEST || readRule(lines, at)) return undefined;
  const items: string[][] = [];
  let next = at;
  for (let marker = readMarker(lines[next] ?? ''); marker; marker = readMarker(lines[next] ?? '')) {
    if (marker.ordered !== first.ordered || readRule(lines, next)) break;
    const item = readItem(lines, next, marker.width);
    items.push(item.lines);
    next = item.next;
  }
  const tight = !items.some((item, index) => hasGap(item, index === items.length - 1));
  const inner = { ...context, depth: context.depth + 1, tight };
  const tag = first.ordered ? 'ol' : 'ul';
  const start = first.ordered && first.start !== 1 ? ` start="${first.start}"` : '';
  const body = items.map((item) => renderItem(item, inner)).join('\n');
  return { markup: `<${tag}${start}>\n${body}\n</${tag}>`, next };
}

/** The lines of one item, without its indentation: those indented below it, and a paragraph that just goes on. */
function readItem(lines: string[], at: number, width: number): Item {
  const item = [(lines[at] ?? '').slice(width)];
  let next = at + 1;
  for (; next < lines.length; next += 1) {
    const line = lines[next] ?? '';
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    const blank = line.trim() === '';
    const lazy = (lines[next - 1] ?? '').trim() !== '' && !startsBlock(line);
    if (!blank && indent < width && !lazy) break;
    item.push(indent >= width ? line.slice(width) : line.trim());
  }
  return { lines: item, next };
}

const startsBlock = (line: string) =>
  readMarker(line) !== undefined || /^ {0,3}(?:#{1,6} |>|```|~~~|<!--)/.test(line);

/** Blank lines between items, or between the paragraphs of one, make a list a loose one. */
function hasGap(item: string[], last: boolean): boolean {
  let end = item.length;
  while (end > 0 && item[end - 1]?.trim() === '') end -= 1;
  return (!last && end < item.length) || item.slice(0, end).some((line) => line.trim() === '');
}

function renderItem(item: string[], context: Context): string {
  const [, mark, rest = ''] = /^\[([ xX])\] (.*)$/.exec(item[0] ?? '') ?? [];
  if (mark === undefined) return `<li>${renderBlocks(item, context)}</li>`;
  const box = `<input type="checkbox" disabled${mark === ' ' ? '' : ' checked'} aria-label="task">`;
  return `<li class="task">${box} ${renderBlocks([rest, ...item.slice(1)], context)}</li>`;
}

import { escapeText } from './html.js';

/** Where `#12` leads: the address of the repository's pages, such as `/acme/app`. */
export type MarkdownPlace = { repo: string };

type Open = { kind: string; piece: number };
type Scan = {
  text: string;
  at: number;
  place: MarkdownPlace;
  /** What is written so far. An opening delimiter is a piece of its own, which its closing turns into a tag. */
  pieces: string[];
  /** Delimiters that wait for their closing, and where those of each kind stand in that list. */
  open: Open[];
  byKind: Map<string, number[]>;
  ticks: Map<number, { at: number[]; next: number }>;
  /** Whether a comment's end can still follow. */
  commentEnds: boolean;
  /** The last piece that holds a whole link: links do not nest. */
  lastLink: number;
};

/**
 * Text inside one block. Every character is looked at a bounded number of times: delimiters that do not close are
 * thrown away once, and what can only be searched for is searched for once.
 */
export function renderInline(text: string, place: MarkdownPlace): string {
  const scan: Scan = {
    text,
    at: 0,
    place,
    pieces: [],
    open: [],
    byKind: new Map(),
    ticks: listTicks(text),
    commentEnds: true,
    lastLink: -1,
  };
  while (scan.at < text.length) {
    if (takePlain(scan) || RULES.some((rule) => rule(scan))) continue;
    emit(scan, escapeText(text[scan.at] ?? ''), 1);
  }
  return scan.pieces.join('');
}

const RULES = [
  takeEscape,
  takeCode,
  takeComment,
  takeEntity,
  takeDelimiters,
  takeBracket,
  takeLinkEnd,
  takeUrl,
  takeReference,
  takeMention,
  takeNewline,
];

function match(scan: Scan, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = scan.at;
  return pattern.exec(scan.text);
}

function emit(scan: Scan, markup: string, length: number): true {
  scan.pieces.push(markup);
  scan.at += length;
  return true;
}

const PLAIN = /[^\\`*_~[\]!<&#@\nhH]+/y;

function takePlain(scan: Scan): boolean {
  const found = match(scan, PLAIN);
  return found !== null && emit(scan, escapeText(found[0]), found[0].length);
}

const ESCAPED = /\\([!-/:-@[-`{-~])/y;

function takeEscape(scan: Scan): boolean {
  const found = match(scan, ESCAPED);
  return found !== null && emit(scan, escapeText(found[1] ?? ''), 2);
}

function listTicks(text: string): Scan['ticks'] {
  const ticks: Scan['ticks'] = new Map();
  for (const run of text.matchAll(/`+/g)) {
    const same = ticks.get(run[0].length) ?? { at: [], next: 0 };
    same.at.push(run.index);
    ticks.set(run[0].length, same);
  }
  return ticks;
}

const TICKS = /`+/y;

function takeCode(scan: Scan): boolean {
  const run = match(scan, TICKS)?.[0];
  if (run === undefined) return false;
  const start = scan.at + run.length;
  const same = scan.ticks.get(run.length) ?? { at: [], next: 0 };
  while ((same.at[same.next] ?? Number.POSITIVE_INFINITY) < start) same.next += 1;
  const end = same.at[same.next];
  if (end === undefined) return emit(scan, run, run.length);
  const content = scan.text.slice(start, end).replaceAll('\n', ' ');
  const padded = content.length > 2 && content.startsWith(' ') && content.endsWith(' ');
  const code = padded ? content.slice(1, -1) : content;
  return emit(scan, `<code>${escapeText(code)}</code>`, end + run.length - scan.at);
}

/** Comments are for programs: as on GitHub, nobody sees them. */
function takeComment(scan: Scan): boolean {
  if (!scan.commentEnds || !scan.text.startsWith('<!--', scan.at)) return false;
  const end = scan.text.indexOf('-->', scan.at + 4);
  scan.commentEnds = end >= 0;
  return end >= 0 && emit(scan, '', end + 3 - scan.at);
}

const ENTITY = /&(?:amp|lt|gt|quot|nbsp|#[1-9]\d{0,6}|#x[1-9a-f][\da-f]{0,5});/iy;

function takeEntity(scan: Scan): boolean {
  const found = match(scan, ENTITY);
  return found !== null && emit(scan, found[0], found[0].length);
}

const TAGS: Record<string, string> = {
  '*': 'em',
  _: 'em',
  '**': 'strong',
  __: 'strong',
  '~~': 'del',
};
const RUN = /\*+|_+|~+/y;
const isSpace = (character: string | undefined) => character === undefined || /\s/.test(character);
const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character);

function takeDelimiters(scan: Scan): boolean {
  const run = match(scan, RUN)?.[0];
  if (run === undefined) return false;
  const before = scan.text[scan.at - 1];
  const after = scan.text[scan.at + run.length];
  if (run.length > 3 || (run[0] === '~' && run.length !== 2)) return emit(scan, run, run.length);
  const inWord = run[0] === '_' && isWord(before) && isWord(after);
  let left = run;
  if (!isSpace(before) && !inWord) left = close(scan, left);
  if (!isSpace(after) && !(run[0] === '_' && isWord(before))) left = open(scan, left);
  return left === '' || emit(scan, left, left.length);
}

/** Closes what was opened last, as far as the run of characters goes; answers with what is left of it. */
function close(scan: Scan, run: string): string {
  let left = run;
  for (;;) {
    const kinds = [left.slice(0, 1), left.slice(0, 2)].filter((kind) => TAGS[kind] !== undefined);
    const [kind] = [...new Set(kinds)]
      .filter((one) => lastOf(scan, one) >= 0)
      .sort((a, b) => lastOf(scan, b) - lastOf(scan, a));
    const opened = kind === undefined ? undefined : popTo(scan, kind);
    if (kind === undefined || opened === undefined) return left;
    scan.pieces[opened.piece] = `<${TAGS[kind]}>`;
    left = left.slice(kind.length);
    emit(scan, `</${TAGS[kind]}>`, kind.length);
  }
}

function open(scan: Scan, run: string): string {
  const kind = run.length >= 2 ? run.slice(0, 2) : run;
  if (TAGS[kind] === undefined) return run;
  push(scan, kind, kind);
  return open(scan, run.slice(kind.length));
}

function push(scan: Scan, kind: string, literal: string): true {
  const same = scan.byKind.get(kind) ?? [];
  scan.byKind.set(kind, same);
  same.push(scan.open.length);
  scan.open.push({ kind, piece: scan.pieces.length });
  return emit(scan, literal, literal.length);
}

const lastOf = (scan: Scan, kind: string) => scan.byKind.get(kind)?.at(-1) ?? -1;

/** What was opened later and is still open stays what it is: text. */
function popTo(scan: Scan, kind: string): Open | undefined {
  for (;;) {
    const last = scan.open.pop();
    if (last) scan.byKind.get(last.kind)?.pop();
    if (!last || last.kind === kind) return last;
  }
}

function takeBracket(scan: Scan): boolean {
  // A picture would be fetched from elsewhere; its address is shown as a link instead.
  if (scan.text.startsWith('![', scan.at)) return push(scan, '[', '![');
  return scan.text[scan.at] === '[' && push(scan, '[', '[');
}

const TARGET =
  /\]\(\s*<?(https?:\/\/[^\s<>()]{1,2000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,200})?)>?(?:\s+"[^"\n]{0,300}")?\s*\)/iy;

function takeLinkEnd(scan: Scan): boolean {
  if (scan.text[scan.at] !== ']') return false;
  const found = lastOf(scan, '[') < 0 ? null : match(scan, TARGET);
  const opened = lastOf(scan, '[') < 0 ? undefined : popTo(scan, '[');
  const url = found?.[1];
  if (!found || !opened || !url || opened.piece <= scan.lastLink) return emit(scan, ']', 1);
  scan.pieces[opened.piece] = `<a href="${escapeText(url)}" rel="nofollow noopener noreferrer">`;
  scan.lastLink = scan.pieces.length;
  return emit(scan, '</a>', found[0].length);
}

const URL_TEXT = /<?(https?:\/\/[^\s<>"'`*[\]\\]+)>?/iy;

function takeUrl(scan: Scan): boolean {
  if (isWord(scan.text[scan.at - 1])) return false;
  const found = match(scan, URL_TEXT)?.[1];
  if (found === undefined) return false;
  const angled = scan.text[scan.at] === '<' && scan.text[scan.at + found.length + 1] === '>';
  if (scan.text[scan.at] === '<' && !angled) return false;
  const url = angled ? found : trimUrl(found);
  scan.lastLink = scan.pieces.length;
  const shown = escapeText(url);
  const link = `<a href="${shown}" rel="nofollow noopener noreferrer">${shown}</a>`;
  return emit(scan, link, url.length + (angled ? 2 : 0));
}

/** The end of a sentence is no part of the address that it ends with. */
function trimUrl(url: string): string {
  let end = url.length;
  while (end > 0 && '.,:;!?_~'.includes(url[end - 1] ?? '')) end -= 1;
  const closes = url[end - 1] === ')' && !url.includes('(');
  return url.slice(0, closes ? end - 1 : end);
}

const REFERENCE = /#([1-9]\d{0,8})(?!\w)/y;

function takeReference(scan: Scan): boolean {
  const found = isWord(scan.text[scan.at - 1]) ? null : match(scan, REFERENCE);
  if (!found) return false;
  scan.lastLink = scan.pieces.length;
  const link = `<a href="${escapeText(scan.place.repo)}/issues/${found[1]}">#${found[1]}</a>`;
  return emit(scan, link, found[0].length);
}

const MENTION = /@[a-z\d](?:[a-z\d-]{0,38})(?![\w-])/iy;

function takeMention(scan: Scan): boolean {
  const found = isWord(scan.text[scan.at - 1]) ? null : match(scan, MENTION);
  return found !== null && emit(scan, `<span class="mention">${found[0]}</span>`, found[0].length);
}

/** In comments GitHub keeps line breaks. */
function takeNewline(scan: Scan): boolean {
  return scan.text[scan.at] === '\n' && emit(scan, '<br>\n', 1);
}

/** Matches the start of text that GitHub hides: comments, processing instructions, CDATA sections, declarations. */
const OPENER = /<(?:!--|\?|!\[CDATA\[|![A-Za-z])/g;
const CLOSERS: Readonly<Record<string, string>> = { '<!--': '-->', '<?': '?>', '<![CDATA[': ']]>' };

/**
 * Matches the text before an opener if it contains only quote marks, list markers or a footnote label. The
 * opener then starts an HTML block, which hides text even if nothing closes it.
 */
const BLOCK_START = /^(?:[ \t>*+-]|\d{1,9}[.)]|\[\^[^\]\s]{1,100}\]:)*$/;

const CODE_START = /^(`{3,100}|~{3,100})[\w+#.-]{0,40}[ \t]*$/;
const TAG = /<[A-Za-z/]/;
/** Matches tags whose HTML does not end at a blank line. Text below them may only look like code. */
const RAW_TAG = /<(?:pre|script|style|textarea)/i;

type Opener = { at: number; mark: string };

type Reader = {
  text: string;
  at: number;
  out: string[];
  /** True while code blocks can be recognized reliably. Otherwise nothing counts as code, and comments are removed. */
  knowsCode: boolean;
  /** True inside HTML, where even an unclosed comment hides everything after it. A blank line usually ends HTML. */
  inHtml: boolean;
  leavesHtml: boolean;
  /** Search results ahead of the current position, so that no text is searched twice. */
  nextOpener: Opener;
  nextCloser: Map<string, number>;
  paragraphEnd: number;
};

/**
 * Removes comments and notes how much was removed. Comments in fenced code stay, because GitHub displays
 * them. GitHub also displays an unclosed comment in the middle of a block, so its `<` becomes `&lt;`. If
 * hidden characters were already removed (`isAsWritten` is false), GitHub may split the original text into
 * other blocks, so nothing counts as code. Runs in linear time.
 */
export function removeComments(text: string, isAsWritten: boolean): string {
  const reader: Reader = {
    text,
    at: 0,
    out: [],
    knowsCode: isAsWritten,
    inHtml: false,
    leavesHtml: isAsWritten,
    nextOpener: { at: -1, mark: '' },
    nextCloser: new Map(),
    paragraphEnd: -1,
  };
  while (reader.at < text.length) {
    if (!passCode(reader)) passLine(reader);
  }
  return reader.out.join('');
}

function passCode(reader: Reader): boolean {
  const { text, at } = reader;
  if (!reader.knowsCode || reader.inHtml) return false;
  const [, mark] = CODE_START.exec(text.slice(at, lineEnd(text, at))) ?? [];
  if (mark === undefined) return false;
  const close = new RegExp(`^ {0,3}${mark.charAt(0)}{${mark.length},}[ \t]*$`);
  let end = lineEnd(text, at) + 1;
  while (end < text.length) {
    const start = end;
    end = lineEnd(text, start) + 1;
    if (close.test(text.slice(start, end - 1))) break;
  }
  copy(reader, Math.min(end, text.length));
  return true;
}

function passLine(reader: Reader): void {
  const { text } = reader;
  const start = reader.at;
  let end = lookAhead(reader);
  let isBlock: boolean | undefined;
  for (;;) {
    const opener = findOpener(reader);
    if (opener.at >= end) break;
    // An HTML block contains the rest of the line, so an opener after the first hides text in the same way.
    isBlock ??= BLOCK_START.test(text.slice(start, opener.at));
    const close = findClose(reader, opener, isBlock || reader.inHtml);
    copy(reader, opener.at);
    if (close === undefined) {
      reader.out.push('&lt;');
      reader.at = opener.at + 1;
      continue;
    }
    reader.at = close;
    if (opener.at === start && isMarker(text, start, close)) {
      reader.at = Math.min(close + 1, text.length);
      return;
    }
    reader.out.push(`[hidden text removed: ${close - opener.at} characters]`);
    if (close > end) end = lookAhead(reader);
  }
  copy(reader, Math.min(end + 1, text.length));
}

/** Updates the state for the lines below, and returns the end of the current line. */
function lookAhead(reader: Reader): number {
  const { text, at } = reader;
  const end = lineEnd(text, at);
  const line = text.slice(at, end);
  const isWholeLine = at === 0 || text.charAt(at - 1) === '\n';
  if (isWholeLine && reader.leavesHtml && line.trim() === '') reader.inHtml = false;
  if (TAG.test(line)) reader.inHtml = true;
  const isRaw = RAW_TAG.test(line);
  if (isRaw) reader.leavesHtml = false;
  if (isRaw || line.includes('```') || line.includes('~~~')) reader.knowsCode = false;
  return end;
}

function findOpener(reader: Reader): Opener {
  if (reader.nextOpener.at < reader.at) {
    OPENER.lastIndex = reader.at;
    const found = OPENER.exec(reader.text);
    reader.nextOpener = { at: found?.index ?? Number.POSITIVE_INFINITY, mark: found?.[0] ?? '' };
  }
  return reader.nextOpener;
}

/** Returns the end of the hidden text; undefined if GitHub displays the text. */
function findClose(reader: Reader, { at, mark }: Opener, hidesToTheEnd: boolean): number | undefined {
  const closer = CLOSERS[mark] ?? '>';
  const from = at + 2;
  let found = reader.nextCloser.get(closer);
  if (found === undefined || found < from) {
    const next = reader.text.indexOf(closer, from);
    found = next < 0 ? Number.POSITIVE_INFINITY : next;
    reader.nextCloser.set(closer, found);
  }
  if (!hidesToTheEnd && found >= paragraphEndAfter(reader, at)) return undefined;
  return Math.min(found + closer.length, reader.text.length);
}

/**
 * Returns the end of the paragraph. GitHub hides a comment within a sentence only if it ends in the same paragraph.
 */
function paragraphEndAfter(reader: Reader, at: number): number {
  if (reader.paragraphEnd <= at) {
    let end = lineEnd(reader.text, at);
    while (end < reader.text.length) {
      const next = lineEnd(reader.text, end + 1);
      if (reader.text.slice(end + 1, next).trim() === '') break;
      end = next;
    }
    reader.paragraphEnd = end;
  }
  return reader.paragraphEnd;
}

const MARKER = /^<!-- \/?mergexo-[^\n]{0,2000}-->$/;

/** True for a signature line of MergeXO's own posts, which is removed without a note. */
function isMarker(text: string, start: number, end: number): boolean {
  const isWholeLine = end === text.length || text.charAt(end) === '\n';
  return isWholeLine && MARKER.test(text.slice(start, end));
}

function copy(reader: Reader, to: number): void {
  reader.out.push(reader.text.slice(reader.at, to));
  reader.at = to;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

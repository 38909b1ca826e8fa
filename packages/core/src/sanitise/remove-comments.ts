/** What GitHub leaves out when it shows a text: comments, instructions to processors, sections of raw data, declarations. */
const OPENER = /<(?:!--|\?|!\[CDATA\[|![A-Za-z])/g;
const CLOSERS: Readonly<Record<string, string>> = { '<!--': '-->', '<?': '?>', '<![CDATA[': ']]>' };

/** Only quote marks, list marks or a footnote's name stand before it: it begins a block, which need not be closed. */
const BLOCK_START = /^(?:[ \t>*+-]|\d{1,9}[.)]|\[\^[^\]\s]{1,100}\]:)*$/;

const CODE_START = /^(`{3,100}|~{3,100})[\w+#.-]{0,40}[ \t]*$/;
const TAG = /<[A-Za-z/]/;
/** Within these a blank line does not end the HTML, so that what looks like code below them may be none. */
const RAW_TAG = /<(?:pre|script|style|textarea)/i;

type Opener = { at: number; mark: string };

type Reader = {
  text: string;
  at: number;
  out: string[];
  /** Whether it is still certain what is code. In doubt it is none, and comments in it are taken out. */
  knowsCode: boolean;
  /** Inside HTML a comment hides all that follows, closed or not. A blank line ends HTML, mostly. */
  inHtml: boolean;
  leavesHtml: boolean;
  /** What was found ahead of the place, so that nothing is searched for twice. */
  nextOpener: Opener;
  nextCloser: Map<string, number>;
  paragraphEnd: number;
};

/**
 * Takes comments out and says how much was there. A comment in a fenced block of code stays as it is: people see it there.
 * One that is not closed and begins no block is no comment for GitHub; it is shown, with `&lt;`. Reads every character a
 * fixed number of times. A text that characters were taken out of may be divided otherwise than GitHub divides it: in it
 * nothing counts as code.
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
  let isFirst = true;
  for (;;) {
    const opener = findOpener(reader);
    if (opener.at >= end) break;
    const isBlock = isFirst && BLOCK_START.test(text.slice(start, opener.at));
    isFirst = false;
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

/** Learns from the rest of the line what it means for the lines below; gives its end. */
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

/** Where the hidden text ends; undefined where GitHub shows it. */
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

/** A comment within a sentence ends in its paragraph, or it is none. */
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

const MARKER = /^<!-- mergexo-[^\n]{0,2000}-->$/;

/** A line of our own, as it ends what we post: it goes without a note. */
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

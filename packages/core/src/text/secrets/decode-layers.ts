/**
 * Matches text that an encoding adds or substitutes for a character: percent, JSON, JavaScript and HTML
 * escapes, line breaks with the indentation of the next line, invisible characters and full-width letters. Runs in
 * linear time: only the digits of an entity repeat without a limit, and no match starts with a digit.
 */
const ESCAPE =
  /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}|\\[!-/:-@[-`{-~]|\\[nrtbf]|&#x[0-9a-f]+;?|&#[0-9]+;?|&[a-z]{2,8};|[ \t]{0,8}\\?\r?\n(?:[ \t>]|&gt;){0,80}|(?![\t\r\n])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufffc]|[\uff01-\uff5e]/giu;

const NAMED: Readonly<Record<string, string>> = {
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\b': '\b',
  '\\f': '\f',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&lowbar;': '_',
  '&underbar;': '_',
  '&period;': '.',
  '&comma;': ',',
  '&colon;': ':',
  '&semi;': ';',
  '&sol;': '/',
  '&bsol;': '\\',
  '&num;': '#',
  '&commat;': '@',
  '&plus;': '+',
  '&equals;': '=',
  '&excl;': '!',
  '&quest;': '?',
  '&percnt;': '%',
  '&dollar;': '$',
  '&ast;': '*',
  '&hat;': '^',
  '&verbar;': '|',
  '&lpar;': '(',
  '&rpar;': ')',
  '&lsqb;': '[',
  '&rsqb;': ']',
  '&lcub;': '{',
  '&rcub;': '}',
};
const FULL_WIDTH = 0xfee0;

/** Maximum number of nested encodings. For example, JSON in a log line is escaped twice. */
const MAX_LAYERS = 4;

/** Removes one encoding after another. Returns every layer, starting with the text itself. */
export function decodeLayers(text: string): string[] {
  const layers = [text];
  while (layers.length <= MAX_LAYERS) {
    const last = layers.at(-1) ?? '';
    const next = last.replace(ESCAPE, decode);
    if (next === last) break;
    layers.push(next);
  }
  return layers;
}

/** Start and end in the encoded text. */
export type Range = { from: number; to: number };

/** Finds the ranges in `encoded` from which the given ranges of the next layer were decoded. */
export function locateInLayerBelow(encoded: string, ranges: readonly Range[]): Range[] {
  // Plain arrays would be several times slower and use gigabytes. Decoding never makes a text longer.
  const starts = new Uint32Array(encoded.length);
  const ends = new Uint32Array(encoded.length);
  let length = 0;
  const add = (from: number, to: number): void => {
    starts[length] = from;
    ends[length] = to;
    length += 1;
  };
  const keep = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) add(at, at + 1);
  };
  let at = 0;
  for (const { 0: found, index } of encoded.matchAll(ESCAPE)) {
    keep(at, index);
    at = index + found.length;
    for (let unit = 0; unit < decode(found).length; unit += 1) add(index, at);
  }
  keep(at, encoded.length);
  return ranges.map(({ from, to }) => ({
    from: starts[from] ?? 0,
    to: to <= length ? (ends[to - 1] ?? 0) : encoded.length,
  }));
}

function decode(found: string): string {
  const named = NAMED[found.toLowerCase()];
  if (named !== undefined) return named;
  if (/^(?:\\u|\\x|%|&#x)/i.test(found)) return toCharacter(found.replace(/[^0-9a-f]/gi, ''), 16);
  if (/^[\uff01-\uff5e]$/.test(found)) return String.fromCharCode(found.charCodeAt(0) - FULL_WIDTH);
  // An entity that stands for no ASCII character.
  if (/^&[a-z]/i.test(found)) return found;
  if (found.startsWith('&#')) return toCharacter(found.replace(/[^0-9]/g, ''), 10);
  // A backslash before punctuation, as in Markdown and JSON.
  if (/^\\[^\r\n]/.test(found)) return found.slice(1);
  return '';
}

function toCharacter(digits: string, base: 10 | 16): string {
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

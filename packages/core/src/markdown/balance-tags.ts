import { HTML_START } from './show-html.js';

/** Tags that GitHub renders. Every other tag vanishes there together with its meaning, or changes how HTML is read. */
const SHOWN = new Set(
  (
    'a abbr b blockquote br center cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ' +
    'img ins kbd li mark ol p picture pre q rp rt ruby s samp small source span strike strong sub summary sup table ' +
    'tbody td tfoot th thead tr tt ul var wbr'
  ).split(' '),
);
/** Tags without content. */
const EMPTY = new Set(['br', 'hr', 'img', 'source', 'wbr']);

/** A whole tag as CommonMark and HTML both read it. */
const TAG =
  /<(\/?)([A-Za-z][A-Za-z0-9-]*)(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>/g;
/** One that cannot end anywhere but where it seems to. */
const COMMENT = /<!--(?!-?>)(?:(?!--)[^<>])*-->/g;

/** Deeper than people write; browsers need quadratic time for more. */
const MAX_OPEN = 50;

/** The closing tags that the pieces of HTML lack, in order. Undefined where closing tags would not be enough. */
export function balanceTags(pieces: readonly string[]): string[] | undefined {
  const open: string[] = [];
  for (const piece of pieces) {
    const plain = piece.replace(COMMENT, '');
    if (plain.replace(TAG, '').search(HTML_START) >= 0) return undefined;
    for (const [, slash, written = ''] of plain.matchAll(TAG)) {
      const name = written.toLowerCase();
      if (!SHOWN.has(name) || open.length > MAX_OPEN) return undefined;
      if (slash === '' && !EMPTY.has(name)) open.push(name);
      if (slash !== '' && open.pop() !== name) return undefined;
    }
  }
  return open.reverse().map((name) => `</${name}>`);
}

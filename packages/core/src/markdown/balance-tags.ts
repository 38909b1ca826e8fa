import { HTML_START } from './show-html.js';

/** Tags that GitHub renders. GitHub drops all other tags, some of which would change how later HTML is parsed. */
const SHOWN = new Set(
  (
    'a abbr b blockquote br center cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ' +
    'img ins kbd li mark ol p picture pre q rp rt ruby s samp small source span strike strong sub summary sup table ' +
    'tbody td tfoot th thead tr tt ul var wbr'
  ).split(' '),
);
/** Tags that have no content and no closing tag. */
const EMPTY = new Set(['br', 'hr', 'img', 'source', 'wbr']);

/** Matches a whole tag that CommonMark and HTML parse in the same way. */
const TAG =
  /<(\/?)([A-Za-z][A-Za-z0-9-]*)(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>/g;
/** Matches a comment that every parser ends at the same place. */
const COMMENT = /<!--(?!-?>)(?:(?!--)[^<>])*-->/g;

/** Maximum number of open tags. People never nest this deeply, and browsers need quadratic time for deeper nesting. */
const MAX_OPEN = 50;

/**
 * Returns the closing tags that the HTML pieces lack, in order. Undefined if closing tags alone cannot balance the
 * HTML.
 */
export function balanceTags(pieces: readonly string[]): string[] | undefined {
  return openTags(pieces)
    ?.reverse()
    .map((name) => `</${name}>`);
}

/**
 * Returns the tags that the HTML pieces leave open, outermost first. Undefined if closing tags cannot balance
 * the HTML.
 */
export function openTags(pieces: readonly string[], before: readonly string[] = []): string[] | undefined {
  const open = [...before];
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
  return open;
}

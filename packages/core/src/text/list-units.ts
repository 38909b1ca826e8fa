import MarkdownIt from 'markdown-it';

/** A piece of a source that GitHub shows as a whole: a character, or an entity. */
export type Unit = {
  /** The characters that GitHub shows, in lower case. */
  chars: readonly string[];
  /** The character if it can be part of markup; empty for an entity, which never is. */
  raw: string;
  end: number;
};

const { unescapeAll } = new MarkdownIt().utils;

/** Matches a unit. In an HTML block, a numeric entity needs no semicolon and may have any number of digits. */
const UNIT = /&(?:#(?:\d+|x[0-9a-f]+);?|[a-z][a-z0-9]{1,31};|nbsp)|[\s\S]/giu;

export function listUnits(source: string): Unit[] {
  return [...source.matchAll(UNIT)].map(({ 0: part, index }) => {
    const isEntity = part.startsWith('&') && part !== '&';
    // Full-width letters and ligatures count as the letters that they look like.
    const shown = (isEntity ? decode(part) : part).normalize('NFKC').toLowerCase();
    const chars = shown.length === 1 ? [shown] : [...shown];
    return { chars, raw: isEntity ? '' : part, end: index + part.length };
  });
}

function decode(entity: string): string {
  const number = /^&#(?:x([0-9a-f]+)|(\d+))/i.exec(entity);
  if (number === null) return unescapeAll(entity.endsWith(';') ? entity : `${entity};`);
  const [, hex, decimal] = number;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}

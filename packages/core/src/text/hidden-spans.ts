import type { Unit } from './list-units.js';

/** Characters that GitHub shows as text or hides as markup. Treating them as hidden never prevents a match. */
const MARKS: ReadonlySet<string> = new Set('*_~`[]<>|\\');

/** Characters that end markup with hidden content: a tag, the target of a link, or the label of a link or image. */
export type SpanEnd = '>' | ')' | ']';
export const SPAN_ENDS: readonly SpanEnd[] = ['>', ')', ']'];

export const isMark = ({ raw }: Unit, next: Unit | undefined): boolean =>
  MARKS.has(raw) || (raw === '!' && next?.raw === '[');

/**
 * Returns the character that would end markup starting at this unit. Parsers disagree on where markup starts and ends,
 * so `lookAhead` tries every later occurrence of this character.
 */
export function spanEndOf({ raw }: Unit, before: Unit | undefined): SpanEnd | undefined {
  if (raw === '<') return '>';
  if (raw === '(' && before?.raw === ']') return ')';
  return raw === '[' && (before?.raw === ']' || before?.raw === '!') ? ']' : undefined;
}

/** The kinds of character that GitHub may show next. */
export type Next = Readonly<Record<'digit' | 'word' | '-' | ':' | '.', boolean>>;
const NOTHING: Next = { digit: false, word: false, '-': false, ':': false, '.': false };

/** Returns, for each unit and for the end of the text, the kinds of character that GitHub may show first from there. */
export function lookAhead(units: readonly Unit[]): Next[] {
  const ahead: Next[] = [NOTHING];
  const after: Record<SpanEnd, Next> = { '>': NOTHING, ')': NOTHING, ']': NOTHING };
  for (let at = units.length - 1; at >= 0; at -= 1) {
    const unit = units[at];
    const rest = ahead.at(-1) ?? NOTHING;
    if (unit === undefined) break;
    for (const end of SPAN_ENDS) if (unit.raw === end) after[end] = either(after[end], rest);
    const end = spanEndOf(unit, units[at - 1]);
    const shown = isMark(unit, units[at + 1]) ? rest : classify(unit.chars[0] ?? '');
    ahead.push(end === undefined ? shown : either(shown, after[end]));
  }
  return ahead.reverse();
}

function classify(char: string): Next {
  const digit = /\d/.test(char);
  const word = digit || /[a-z]/.test(char);
  if (!word && !/[-:.]/.test(char)) return NOTHING;
  return { digit, word, '-': char === '-', ':': char === ':', '.': char === '.' };
}

const either = (a: Next, b: Next): Next => ({
  digit: a.digit || b.digit,
  word: a.word || b.word,
  '-': a['-'] || b['-'],
  ':': a[':'] || b[':'],
  '.': a['.'] || b['.'],
});

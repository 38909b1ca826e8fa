import { JOINER } from '../markdown/show-html.js';
import { createStates, endsWithPath, isAfterGap, isKeyword, isWord, type States } from './closing-states.js';
import { isMark, lookAhead, type Next, SPAN_ENDS, type SpanEnd, spanEndOf } from './hidden-spans.js';
import { listUnits, type Unit } from './list-units.js';

/** A text without any of these characters, or their full-width forms, cannot contain a reference. */
const HINT = /[@#&/-]|[＠﹫＃﹟／－﹣]/;

/**
 * References that make GitHub notify people or close issues. GitHub documents the forms, but not whether it searches
 * the source or the rendered text, so neither may contain such a form.
 *
 * | Form | Examples |
 * |---|---|
 * | keyword | close, closes, closed, fix, fixes, fixed, resolve, resolves, resolved; in any case, with or without a colon |
 * | issue after a keyword | `#1`, `GH-1`, `owner/repo#1`, `owner#1`, a URL |
 * | between the two | blanks and line breaks; also quotes and opening brackets, to be safe |
 * | mention | `@user`, `@org/team`, but not the `@` of an email address |
 *
 * Parsers disagree on what is markup, so each piece of possible markup counts as shown and as hidden.
 */
export function breakReferences(text: string): string {
  if (!HINT.test(text)) return text;
  const units = listUnits(text);
  const ahead = lookAhead(units);
  const nothing = createStates();
  let shown = nothing;
  const hidden: Record<SpanEnd, States> = { '>': nothing, ')': nothing, ']': nothing };
  let [broken, from] = ['', 0];
  for (const [at, unit] of units.entries()) {
    const before = shown;
    const opened = spanEndOf(unit, units[at - 1]);
    if (opened !== undefined) hidden[opened] = hidden[opened].join(shown);
    if (!isMark(unit, units[at + 1])) shown = unit.chars.reduce((states, char) => states.step(char), shown);
    const next = ahead[at + 1];
    if (next !== undefined && (isMention(units, at, next) || closes(unit, { before, shown, next }))) {
      broken += `${text.slice(from, unit.end)}${JOINER}`;
      from = unit.end;
      shown = nothing;
    }
    for (const end of SPAN_ENDS) if (unit.raw === end) shown = shown.join(hidden[end]);
    // A tag can be a line break.
    if (unit.raw === '>') shown = shown.join(hidden['>'].step(' '));
  }
  return broken + text.slice(from);
}

type Place = { before: States; shown: States; next: Next };

/** True if the unit continues a closing form, up to the place where the invisible character is inserted. */
function closes({ chars }: Unit, { before, shown, next }: Place): boolean {
  if (chars.at(-1) === '#') return next.digit && before.has((state) => isKeyword(state) || isAfterGap(state));
  return (
    (next['-'] && shown.has(isWord('gh'))) ||
    (next[':'] && shown.has((state) => isWord('http')(state) || isWord('https')(state))) ||
    (next['.'] && shown.has(isWord('www'))) ||
    (next.digit && shown.has(endsWithPath))
  );
}

/** True for the `@` of a mention. An email address has a letter before it, which is not the end of an entity. */
function isMention(units: readonly Unit[], at: number, next: Next): boolean {
  if (units[at]?.chars.at(-1) !== '@' || !next.word) return false;
  let start = at - 1;
  while (/^[A-Za-z0-9]$/.test(units[start]?.raw ?? '')) start -= 1;
  return start === at - 1 || units[start]?.raw === '&';
}

import { JOINER } from '../markdown/show-html.js';
import { type Projection, projectMarkdown, projectPlain } from './project-text.js';

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
 */
const KEYWORD = '(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)';
const GAP = '[\\s\\u0085:([{"\'“‘«]';
/**
 * Matches each form up to the place where the invisible character is inserted. Forms can overlap, so each is
 * searched for separately.
 */
const STARTS = [
  `${GAP}+[\\w.-]{1,100}(?:/[\\w.-]{1,100})?#(?=\\d)`,
  `${GAP}*#(?=\\d)`,
  `${GAP}+gh(?=-\\d)`,
  `${GAP}+https?(?=://)`,
  `${GAP}+www(?=\\.)`,
  `${GAP}+[\\w-]{1,63}(?=(?:\\.[\\w-]{1,63}){1,5}(?::\\d{1,5})?/[\\w.-]{1,100}/[\\w.-]{1,100}/(?:issues|pull)/\\d)`,
];
const CLOSING = STARTS.map((start) => new RegExp(KEYWORD + start, 'giu'));
const MENTION = /@(?=[a-z0-9])/giu;

/** A text without any of these cannot contain a reference. */
const HINT = /[@#&/＠﹫＃﹟]|gh-|www\./i;

/** Inserts an invisible character into every reference that would close an issue or mention somebody. */
export function breakReferences(text: string): string {
  if (!HINT.test(text)) return text;
  const places = new Set(
    [projectPlain(text), projectMarkdown(text)].flatMap((each) => findPlaces(text, each)),
  );
  let [broken, from] = ['', 0];
  for (const place of [...places].sort((a, b) => a - b)) {
    broken += `${text.slice(from, place)}${JOINER}`;
    from = place;
  }
  return broken + text.slice(from);
}

/** Returns the positions in the source where a character must be inserted. */
function findPlaces(source: string, { shown, starts, ends }: Projection): number[] {
  const after = (at: number): number => ends[at] ?? source.length;
  const closing = CLOSING.flatMap((form) =>
    [...shown.matchAll(form)].map(({ 0: all, index }) => after(index + all.length - 1)),
  );
  // An email address has a letter before the `@` in the source and in the rendered text.
  const isEmail = (index: number): boolean =>
    [shown.charAt(index - 1), source.charAt((starts[index] ?? 0) - 1)].every((char) =>
      /[A-Za-z0-9]/.test(char),
    );
  const mentions = [...shown.matchAll(MENTION)]
    .filter(({ index }) => !isEmail(index))
    .map(({ index }) => after(index));
  return [...closing, ...mentions];
}

const MAX_WORDS = 1_000;
/** Words that say nothing about what is wrong. */
const FILLERS = new Set(
  (
    'the and for that this with from are was were been has have had will would can could should when which its into ' +
    'than then there here'
  ).split(' '),
);

/** The words that carry a text, without their endings. Numbers are left out: mostly they are lines, which move. */
export function listWords(text: string): ReadonlySet<string> {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}_$]{3,}/gu) ?? [];
  const telling = words.slice(0, MAX_WORDS).filter((word) => /\p{L}/u.test(word) && !FILLERS.has(word));
  return new Set(telling.map((word) => (word.length > 5 ? word.replace(/(?:ing|ed|es|s)$/, '') : word)));
}

/** How much of the words of both is common to both: 1 for the same words, 0 for none. */
export function computeSimilarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 1;
  const common = [...a].filter((word) => b.has(word)).length;
  return common / (a.size + b.size - common);
}

const MAX_WORDS = 1_000;
/** Words to ignore, because they do not describe the problem. */
const FILLERS = new Set(
  (
    'the and for that this with from are was were been has have had will would can could should when which its into ' +
    'than then there here'
  ).split(' '),
);

/**
 * Returns the significant words of a text, without their endings. Omits numbers, because most are line numbers, which
 * change.
 */
export function listWords(text: string): ReadonlySet<string> {
  const words =
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}_$]{3,}/gu) ?? [];
  const telling = words.slice(0, MAX_WORDS).filter((word) => /\p{L}/u.test(word) && !FILLERS.has(word));
  return new Set(telling.map((word) => (word.length > 5 ? word.replace(/(?:ing|ed|es|s)$/, '') : word)));
}

/** Returns the share of words that both sets have in common: 1 for equal sets, 0 for none. */
export function computeSimilarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 1;
  const common = [...a].filter((word) => b.has(word)).length;
  return common / (a.size + b.size - common);
}

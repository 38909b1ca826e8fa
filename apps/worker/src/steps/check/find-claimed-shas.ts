/** Matches a possible commit id, but not a color, and not a part of a word or hyphenated identifier. */
const CANDIDATE = /(?<![\w#-])[0-9a-f]{7,40}(?![\w-])/gi;

/** Returns the words that look like commits, in lower case: hexadecimal with a digit and a letter, or a full sha. */
export function findClaimedShas(texts: readonly string[]): string[] {
  const candidates = texts.flatMap((text) => text.match(CANDIDATE) ?? []).map((word) => word.toLowerCase());
  return [...new Set(candidates)].filter(
    (word) => word.length === 40 || (/\d/.test(word) && /[a-f]/.test(word)),
  );
}

/** Not in the middle of a word, an identifier with hyphens, or a colour. */
const CANDIDATE = /(?<![\w#-])[0-9a-f]{7,40}(?![\w-])/gi;

/** Words that name a commit, in lower case: hexadecimal with a digit and a letter, or a whole sha. */
export function findClaimedShas(texts: readonly string[]): string[] {
  const words = texts.flatMap((text) => text.match(CANDIDATE) ?? []).map((word) => word.toLowerCase());
  return [...new Set(words)].filter((word) => word.length === 40 || (/\d/.test(word) && /[a-f]/.test(word)));
}

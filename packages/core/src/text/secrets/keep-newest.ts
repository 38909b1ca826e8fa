/** Maximum number of remembered tokens of agents' logins. */
const MAX_TOKENS = 100;

/**
 * Adds tokens as the newest, and forgets the oldest tokens beyond the limit. Returns false if all tokens were known.
 */
export function keepNewest(kept: Set<string>, tokens: readonly string[]): boolean {
  const isKnown = tokens.every((token) => kept.has(token));
  for (const token of tokens) {
    kept.delete(token);
    kept.add(token);
  }
  for (const oldest of [...kept].slice(0, -MAX_TOKENS)) kept.delete(oldest);
  return !isKnown;
}

import type { Range } from './decode-layers.js';
import { findNeedles, listNeedles, type Needle } from './find-needles.js';
import { keepNewest } from './keep-newest.js';
import { REDACTED, redactPatterns } from './redact-patterns.js';

export type Redact = (text: string) => string;

/** Redacts known secrets, and can learn more. */
export type SecretRedact = Redact & {
  /** Adds secrets that a program reads later, such as a token from `gh`. Never forgets them. */
  learn(secrets: readonly (string | undefined)[]): void;
  /** Adds the tokens of an agent's login, which change every hour. Remembers only the newest tokens. */
  learnTokens(tokens: readonly string[]): void;
};

/** Creates a function that removes the given values, even if encoded, and anything that looks like a credential. */
export function createRedact(secrets: readonly string[]): SecretRedact {
  const permanent = new Set(secrets);
  const tokens = new Set<string>();
  let needles: Needle[] = [];
  const update = (): void => {
    needles = [...new Set([...permanent, ...tokens])].flatMap(listNeedles);
  };
  update();
  const redact: Redact = (given) => {
    // A zero byte could split a secret, and GitHub and git drop zero bytes.
    const text = given.replaceAll('\0', '');
    return redactPatterns(needles.length === 0 ? text : cut(text, findNeedles(text, needles)));
  };
  return Object.assign(redact, {
    learn: (more: readonly (string | undefined)[]) => {
      const before = permanent.size;
      for (const secret of more) if (secret !== undefined) permanent.add(secret);
      if (permanent.size > before) update();
    },
    learnTokens: (more: readonly string[]) => {
      if (keepNewest(tokens, more)) update();
    },
  });
}

/** Replaces the ranges. Ranges that overlap or touch become one. */
function cut(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const parts: string[] = [];
  let at = 0;
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    if (from > at || parts.length === 0) parts.push(text.slice(at, from), REDACTED);
    at = Math.max(at, to);
  }
  return parts.join('') + text.slice(at);
}

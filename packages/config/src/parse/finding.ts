import type { Problem } from './config-error.js';

/** A problem, and the keys whose values cannot be relied on because of it. */
export type Finding = Problem & { readonly breaks: readonly string[] };

/** Two values that are fine alone and wrong together; `involves` names the other keys that it was concluded from. */
export type Contradiction = { path: string; message: string; involves: readonly string[] };

export function notAllowed(value: string, allowed: string): string {
  return `is ${value}; allowed: ${allowed}`;
}

/** Is this key, or a table around it, already complained about? Then nothing is concluded from its stand-in. */
export function isBroken(path: string, findings: readonly Finding[]): boolean {
  return findings.some(({ breaks }) =>
    breaks.some((broken) => path === broken || path.startsWith(`${broken}.`)),
  );
}

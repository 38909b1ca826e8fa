import { showValue } from '../values/show-value.js';
import type { Problem } from './config-error.js';

/** A problem, and the keys whose values the problem makes unusable. */
export type Finding = Problem & { readonly breaks: readonly string[] };

/** Values that are valid on their own but not together. `involves` lists the other keys. */
export type Contradiction = { path: string; message: string; involves: readonly string[] };

/** Reports a value that contradicts the values of other keys. */
export function contradict({
  value,
  allowed,
  ...place
}: Omit<Contradiction, 'message'> & { value: unknown; allowed: string }): Contradiction {
  return { ...place, message: notAllowed(showValue(value), allowed) };
}

export function notAllowed(value: string, allowed: string): string {
  return `got ${value}, expected ${allowed}`;
}

/** True if the key or its table already has a problem. Its stand-in value must not cause a second report. */
export function isBroken(path: string, findings: readonly Finding[]): boolean {
  return findings.some(({ breaks }) =>
    breaks.some((broken) => path === broken || path.startsWith(`${broken}.`)),
  );
}

import type { Range } from './decode-layers.js';
import { findNeedles, listNeedles, type Needle } from './find-needles.js';

/** Patterns of credentials that must never reach a log, a page or a comment. Every expression runs in linear time. */
const WHOLE: readonly RegExp[] = [
  // Must precede the next pattern, which would match only up to the first dot of such a token.
  /\bghs_[A-Za-z0-9]{1,40}_eyJ[\w.-]{8,4096}/g,
  /\bgh[pousr]_[A-Za-z0-9_]{16,255}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,255}/g,
  /\bsk-[A-Za-z0-9_-]{16,255}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,16384}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
];
/** Patterns that also match the text around a credential, such as a URL's host, which redaction keeps. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"]{0,128}):[^\s@/"]{1,256}@/gi;
const AUTHORIZATION =
  /\b(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:basic|bearer|token)\s{1,4})[\w.~+/=-]{4,4096}/gi;

/** Matches words that are long enough to be a JWT. */
const DOTTED = /[\w.-]{20,}/g;

/** Maximum number of learned secrets. Agents' logins get new tokens every hour. */
const MAX_LEARNED = 100;

const REDACTED = '[redacted]';

export type Redact = (text: string) => string;

/** Redacts the secrets that it knows. `learn` adds secrets that a program reads later, such as a token from `gh`. */
export type SecretRedact = Redact & { learn(secrets: readonly (string | undefined)[]): void };

/** Creates a function that removes the given values, even if encoded, and anything that looks like a credential. */
export function createRedact(secrets: readonly string[]): SecretRedact {
  const initial = listUniqueNeedles(secrets);
  const learned = new Map<string, Needle[]>();
  let needles = initial;
  const learn: SecretRedact['learn'] = (more) => {
    const fresh = more.flatMap((secret) => (secret === undefined || learned.has(secret) ? [] : [secret]));
    if (fresh.length === 0) return;
    for (const secret of fresh) learned.set(secret, listNeedles(secret));
    for (const oldest of [...learned.keys()].slice(0, -MAX_LEARNED)) learned.delete(oldest);
    needles = [...initial, ...[...learned.values()].flat()];
  };
  const redact: Redact = (given) => {
    // A zero byte could split a secret, and GitHub and git drop zero bytes.
    const text = given.replaceAll('\0', '');
    let clean = needles.length === 0 ? text : cut(text, findNeedles(text, needles));
    for (const pattern of WHOLE) clean = clean.replace(pattern, REDACTED);
    return clean
      .replace(DOTTED, redactJwt)
      .replace(URL_PASSWORD, '$1:[redacted]@')
      .replace(AUTHORIZATION, '$1[redacted]');
  };
  return Object.assign(redact, { learn });
}

const listUniqueNeedles = (secrets: readonly string[]): Needle[] =>
  [...new Set(secrets)].flatMap(listNeedles);

/** Redacts every string in plain data. Call this before rendering, which may join lines and so hide a secret. */
export function redactStrings<T>(data: T, redact: Redact): T {
  return JSON.parse(
    JSON.stringify(data, (_key, value: unknown) => (typeof value === 'string' ? redact(value) : value)),
  );
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

/** Redacts a JWT and the rest of its word. A single expression for a whole JWT would scan a long word many times. */
function redactJwt(word: string): string {
  const start = word.search(/\beyJ[\w-]{8}/);
  if (start < 0 || word.slice(start).split('.', 3).length < 3) return word;
  return word.slice(0, start) + REDACTED;
}

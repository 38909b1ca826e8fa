import { listSecretForms } from './secret-forms.js';

/** Patterns of credentials that must never reach a log, a page or a comment. Every expression runs in linear time. */
const WHOLE: readonly RegExp[] = [
  // Before the pattern below, which would match only up to the first dot of such a token.
  /\bghs_[A-Za-z0-9]{1,40}_eyJ[\w.-]{8,4096}/g,
  /\bgh[pousr]_[A-Za-z0-9_]{16,255}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,255}/g,
  /\bsk-[A-Za-z0-9_-]{16,255}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\beyJ[\w-]{8,4096}\.[\w-]{2,4096}\.[\w-]{2,4096}/g,
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,16384}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
];
/** Patterns that also match text around a credential, which stays: the host of a URL, the name of a header. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"]{0,128}):[^\s@/"]{1,256}@/gi;
const AUTHORIZATION =
  /\b(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:basic|bearer|token)\s{1,4})[\w.~+/=-]{4,4096}/gi;

/** Minimum length of a secret to redact. Redacting shorter values would also remove ordinary words. */
const MIN_SECRET_LENGTH = 8;

export type Redact = (text: string) => string;

/**
 * Creates a function that removes the given values, their common encodings, and anything that looks like a credential.
 */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(listSecretForms);
  const needles = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => {
    // A zero byte could interrupt a secret, and GitHub and git drop it.
    let clean = text.replaceAll('\0', '');
    for (const needle of needles) clean = clean.replaceAll(needle, '[redacted]');
    for (const pattern of WHOLE) clean = clean.replace(pattern, '[redacted]');
    return clean.replace(URL_PASSWORD, '$1:[redacted]@').replace(AUTHORIZATION, '$1[redacted]');
  };
}

export const REDACTED = '[redacted]';

/**
 * Matches where a token can start: not inside a word. The letter or digits of an escape, as in `\nghp_…`, `\u000aghp_…`
 * and `%0Aghp_…`, are not part of a word.
 */
const START = String.raw`(?<=(?<![A-Za-z0-9])|\\[nrtbf]|\\u[0-9A-Fa-f]{4}|(?:%|\\x)[0-9A-Fa-f]{2})`;

const GITHUB_TOKENS: readonly RegExp[] = [
  // Must precede the next pattern, which would match only up to the first dot of such a token.
  new RegExp(`${START}ghs_[A-Za-z0-9]{1,40}_eyJ[\\w.-]{8,4096}`, 'g'),
  new RegExp(`${START}gh[pousr]_[A-Za-z0-9_]{16,255}`, 'g'),
];
/** Long tokens contain a digit. A match without a digit is ordinary text, such as `sk-learn-compatible-estimator`. */
const LONG_TOKEN = new RegExp(`${START}(?:github_pat_|sk-)[A-Za-z0-9_-]{16,255}`, 'g');
const AWS_KEY = new RegExp(`${START}(?:AKIA|ASIA)[A-Z0-9]{16}\\b`, 'g');

/** Matches a line break, even if escaped, and the indentation or quote marks of the next line. */
const LINE_BREAK = String.raw`(?:\\{1,4}[nr]|[\r\n]){1,4}[ \t>|]{0,8}`;
const HEADERS = String.raw`(?:${LINE_BREAK}[A-Z][A-Za-z-]{1,20}: [^\r\n\\]{0,80}){0,4}`;
const BLANKS = String.raw`(?:\\{1,4}[nrt]|[\s>|"',]){1,12}`;
/** Matches a short last line of base64. */
const LAST_LINE = String.raw`(?:(?:\\{1,4}n|\n)[ \t>|]{0,8}[A-Za-z0-9+/]{1,15}={0,2}(?![^\r\n\\"']))`;
/**
 * Matches a private key up to its END line. Without an END line, matches only the base64 lines, because the text below
 * an incomplete key is not part of the key.
 */
const PRIVATE_KEY = new RegExp(
  `-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----${HEADERS}(?:` +
    String.raw`[A-Za-z0-9+/=\\\s>|"',]{0,16384}-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----` +
    `|(?:${BLANKS}[A-Za-z0-9+/]{16,16384}={0,2}){1,400}${LAST_LINE}?)`,
  'g',
);

/** Patterns that also match the text around a credential, such as a URL's host, which redaction keeps. */
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"]{0,128}):[^\s@/"]{1,256}@/gi;
const AUTHORIZATION =
  /(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:basic|bearer|token)\s{1,4})([\w.~+/=-]{4,4096})/gi;

/** Matches words that are long enough to be a JWT. Without a limit, a word of 8 MB exhausts the engine's stack. */
const DOTTED = /[\w.-]{20,65535}/g;
/** Matches the start of a JWT in such a word. The word may start with the rest of an escape. */
const JWT_START = /(?<=(?<![A-Za-z0-9])|^[nrtbf]|^u[0-9A-Fa-f]{4}|^x?[0-9A-Fa-f]{2})eyJ[\w-]{8}/;

/** Removes text that looks like a credential and must never reach a log, a page or a comment. Takes linear time. */
export function redactPatterns(text: string): string {
  let clean = text;
  for (const pattern of GITHUB_TOKENS) clean = clean.replace(pattern, REDACTED);
  return clean
    .replace(LONG_TOKEN, (found) => (/\d/.test(found) ? REDACTED : found))
    .replace(AWS_KEY, REDACTED)
    .replace(PRIVATE_KEY, REDACTED)
    .replace(DOTTED, redactJwt)
    .replace(URL_PASSWORD, `$1:${REDACTED}@`)
    .replace(AUTHORIZATION, (found: string, before: string, credential: string) =>
      isRandom(credential) ? before + REDACTED : found,
    );
}

/** True for a credential. False for an ordinary word, as in "Authorization: Bearer authentication". */
function isRandom(credential: string): boolean {
  return /\d|=|[a-z][A-Z]/.test(credential);
}

/** Redacts a JWT and the rest of its word. A single expression for a whole JWT would scan a long word many times. */
function redactJwt(word: string): string {
  const start = word.search(JWT_START);
  if (start < 0 || word.slice(start).split('.', 3).length < 3) return word;
  return word.slice(0, start) + REDACTED;
}

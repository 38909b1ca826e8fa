/** Shapes of credentials that must never reach a log, a page or a comment. Every expression is linear in its input. */
const PATTERNS: readonly { pattern: RegExp; replacement: string }[] = [
  { pattern: /\bgh[pousr]_[A-Za-z0-9_]{16,255}/g, replacement: '[redacted]' },
  { pattern: /\bghs_\d{1,12}_eyJ[\w.-]{8,4096}/g, replacement: '[redacted]' },
  { pattern: /\bgithub_pat_[A-Za-z0-9_]{16,255}/g, replacement: '[redacted]' },
  { pattern: /\bsk-[A-Za-z0-9_-]{16,255}/g, replacement: '[redacted]' },
  { pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, replacement: '[redacted]' },
  { pattern: /\beyJ[\w-]{8,4096}\.[\w-]{2,4096}\.[\w-]{2,4096}/g, replacement: '[redacted]' },
  {
    pattern: /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"]{0,128}):[^\s@/"]{1,256}@/gi,
    replacement: '$1:[redacted]@',
  },
  {
    pattern:
      /\b(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:basic|bearer|token)\s{1,4})[\w.~+/=-]{4,4096}/gi,
    replacement: '$1[redacted]',
  },
  {
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,16384}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
    replacement: '[redacted]',
  },
];

/** Shorter values would redact ordinary words. */
const MIN_SECRET_LENGTH = 8;

export type Redact = (text: string) => string;

/** Removes the given values, also in the encodings they usually travel in, and everything that looks like a credential. */
export function createRedact(secrets: readonly string[]): Redact {
  const forms = secrets.filter((secret) => secret.length >= MIN_SECRET_LENGTH).flatMap(encodings);
  const needles = [...new Set(forms)].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const needle of needles) clean = clean.replaceAll(needle, '[redacted]');
    for (const { pattern, replacement } of PATTERNS) clean = clean.replace(pattern, replacement);
    return clean;
  };
}

function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}

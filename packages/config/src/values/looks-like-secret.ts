/** Number of characters scanned. No valid value is longer, and the limit keeps the patterns fast on any input. */
const LONGEST_SCAN = 4096;

const TOKENS = [
  /gh[pousr]_[A-Za-z0-9_]{10,}/, // GitHub: personal, OAuth, user, server and refresh tokens
  /github_pat_[A-Za-z0-9_]{10,}/,
  /glpat-[A-Za-z0-9_-]{10,}/,
  /\bsk-(?:ant|proj|svcacct|or)-[A-Za-z0-9_-]{8,}/, // Anthropic, OpenAI, OpenRouter
  /\bsk-[A-Za-z0-9]{32,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/, // AWS access keys
  /\bAIza[A-Za-z0-9_-]{30,}/, // Google
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/, // Slack
  /\bnpm_[A-Za-z0-9]{30,}/,
  /\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}/, // JSON web tokens
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/,
  /\bBearer\s+[A-Za-z0-9._~+/-]{8,}/i,
  /[?&](?:access_)?token=[^&\s]/i,
  /[a-z][a-z0-9+.-]{0,20}:\/\/[^/?#@\s:]{0,200}:[^/?#@\s]{1,500}@/i, // a URL with a password
];

export function looksLikeSecret(value: string): boolean {
  const start = value.slice(0, LONGEST_SCAN);
  return TOKENS.some((pattern) => pattern.test(start));
}

const SECRET_WORDS =
  /(?:^|_)(?:token|secret|secrets|password|passwd|passphrase|credential|credentials|pat|jwt|hmac)(?:_|$)/;
const SECRET_KEYS = /(?:^|_)(?:api|private|access|signing|encryption|auth)_?key(?:_|$)/;

/**
 * True for names that suggest a secret. Checked only for unknown keys, so that `max_tokens_per_run` is not reported.
 */
export function soundsSecret(key: string): boolean {
  const spaced = key
    .slice(0, LONGEST_SCAN)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-.\s]/g, '_')
    .toLowerCase();
  return SECRET_WORDS.test(spaced) || SECRET_KEYS.test(spaced);
}

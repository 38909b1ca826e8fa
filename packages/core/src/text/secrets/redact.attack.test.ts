import { measureGrowth } from '@mergexo/testkit';
import { createRedact } from './redact.js';
import { redactJson, redactStrings } from './redact-data.js';

const redact = createRedact(['nabc12345678']);
const TOKENS = {
  'a GitHub token': `ghp_${'A1b2C3d4'.repeat(4)}abcd`,
  'a fine-grained GitHub token': `github_pat_${'A1b2C3d4'.repeat(8)}`,
  'an Anthropic key': `sk-ant-api03-${'a1B2'.repeat(10)}`,
  'an AWS key id': 'AKIAABCDEFGHIJKLMNOP',
  'a JWT': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl',
};
const LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';
const BEGIN = '-----BEGIN PRIVATE KEY-----';
const END = '-----END PRIVATE KEY-----';

describe('an agent that floods MergeXO with tokens', () => {
  it.each([
    ['given at the start', createRedact(['redis-canary-0123'])],
    ['learned from the settings', createRedact([])],
  ])('does not displace a secret %s', (_name, known) => {
    known.learn(['redis-canary-0123']);
    for (let at = 0; at < 300; at += 1) known.learnTokens([`token-of-a-login-${at}`]);
    expect(known('redis-canary-0123 token-of-a-login-299')).toBe('[redacted] [redacted]');
  });

  it('does not displace the tokens of a login that is still in use', () => {
    const known = createRedact([]);
    for (let at = 0; at < 300; at += 1) known.learnTokens(['token-in-use-0123', `token-of-a-login-${at}`]);
    expect(known('token-in-use-0123')).toBe('[redacted]');
  });

  it('cannot slow redaction down, because MergeXO forgets the oldest tokens', () => {
    const known = createRedact([]);
    known.learnTokens(Array.from({ length: 5_000 }, (_, at) => `token-of-a-login-${at}`));
    expect(known('token-of-a-login-0 token-of-a-login-4999')).toBe('token-of-a-login-0 [redacted]');
  });
});

describe('a token after an escape', () => {
  const rows = Object.entries(TOKENS).flatMap(([name, token]) =>
    ['\\n', '\\r', '\\t', '\\\\n', '\\u000a', '\\x0a', '%0A', '\n', '_', '"'].map((before) => ({
      name,
      token,
      before,
    })),
  );

  it.each(rows)('is removed: $name after $before', ({ token, before }) => {
    const text = redact(`remote: denied${before}${token} after`);
    expect(text).not.toContain(token.slice(10));
    expect(text).toMatch(/^remote: denied.*\[redacted\] after$/s);
  });

  it('is removed from an authorization header on another line', () => {
    expect(redact('{"a":"x\\nAuthorization: token abcdef123456"}')).not.toContain('abcdef123456');
  });
});

describe('a secret that a reader sees unchanged', () => {
  const SECRET = 'redis-canary-0123';
  const known = createRedact([SECRET]);
  const toEntities = (format: (code: number) => string) =>
    Array.from(SECRET, (letter) => format(letter.codePointAt(0) ?? 0)).join('');

  it('is removed, whatever invisible character is between its letters', () => {
    // Line breaks are removed only together with the spaces that follow them.
    const invisible =
      /(?![\n\r\t\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
    const hiding = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => invisible.test(String.fromCodePoint(code)))
      .filter((code) => known([...SECRET].join(String.fromCodePoint(code))) !== '[redacted]');
    expect(hiding.map((code) => code.toString(16))).toEqual([]);
  });

  it.each<[string, (code: number) => string]>([
    ['decimal', (code) => `&#${'0'.repeat(50)}${code};`],
    ['hexadecimal', (code) => `&#x${'0'.repeat(50)}${code.toString(16)};`],
    ['decimal entities without a semicolon', (code) => `&#${code}`],
  ])('is removed from %s entities', (_name, format) => {
    expect(known(`it is ${toEntities(format)} today`)).toBe('it is [redacted] today');
  });

  it.each(['&#', '&#x', '&#0', '\ufe0f'])('is found in linear time among many %j', (filler) => {
    const sizes = { from: 8_192, to: 131_072 };
    expect(measureGrowth((size) => void known(filler.repeat(size)), sizes)).toBeLessThan(1.6);
    expect(measureGrowth((size) => void known(filler + '0'.repeat(size)), sizes)).toBeLessThan(1.6);
  });
});

describe('a word of 9 MB', () => {
  it('is redacted without an error', () => {
    const token = TOKENS['a GitHub token'];
    expect(createRedact([])(`${'a'.repeat(9_000_000)} ${token}`).slice(-11)).toBe(' [redacted]');
  });
});

describe('the BEGIN line of a private key', () => {
  it.each([
    ['in a sentence', `Reject files with \`${BEGIN}\`. Second, the timeout is 5 s. Fourth, do not merge`],
    ['before words', `${BEGIN} at the start of the file. I added a test.`],
    ['before lines', `${BEGIN}\nThis\nis\nimportant\n`],
    ['before a header', `${BEGIN}\nNote: do not merge\n\nBecause it is bad.`],
    ['in a list', `- ${BEGIN}\n- ${BEGIN}\n- ${END}`],
  ])('without a key, removes no text: %s', (_name, text) => {
    expect(redact(text)).toBe(text);
  });

  it.each([
    ['that is complete', `${BEGIN}\n${LINE}\n${LINE}\nabc=\n${END}`],
    ['with escaped line breaks', `${BEGIN}\\n${LINE}\\n${LINE}\\nabc=\\n${END}`],
    ['with line breaks escaped twice', `${BEGIN}\\\\n${LINE}\\\\n${LINE}\\\\nabc=\\\\n${END}`],
    ['of short lines', `${BEGIN}\r\nMIIabc\r\nMIIdef\r\n${END}`],
    ['in a quote', `${BEGIN}\n> ${LINE}\n> ${LINE}\n> ${END}`],
    ['on one line', `${BEGIN} ${LINE} ${LINE} ${END}`],
    ['in strings', `${BEGIN}",\n  "${LINE}",\n  "${LINE}",\n  "${END}`],
    ['without its end', `${BEGIN}\n${LINE}\n${LINE}\nabc=`],
    ['without its end and with escaped line breaks', `${BEGIN}\\n${LINE}\\n${LINE}\\nabc=`],
    [
      'that is encrypted',
      `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF00FF\n\n${LINE}\n${LINE}`,
    ],
    ['of OpenSSH', `-----BEGIN OPENSSH PRIVATE KEY-----\n${LINE}\n-----END OPENSSH PRIVATE KEY-----`],
    ['of PGP', `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n${LINE}\n${LINE}`],
  ])('is removed together with a key %s', (_name, key) => {
    expect(redact(`before ${key}\n\nAfter the key.`)).toBe('before [redacted]\n\nAfter the key.');
  });

  it.each([
    BEGIN,
    `${BEGIN}\n`,
    `${BEGIN}\nA: `,
    `${BEGIN}\n${LINE}\n`,
    '-----BEGIN ',
    `${BEGIN}\\\\\\\\`,
    'eyJ.',
    'sk-',
    'authorization: token ',
  ])('is found in linear time if %j is repeated', (piece) => {
    const work = (size: number): void => void redact(piece.repeat(size / piece.length));
    expect(measureGrowth(work, { from: 8_192, to: 131_072 })).toBeLessThan(1.6);
  });
});

describe('data that is redacted before it is serialized', () => {
  it.each([
    ['a secret that starts with the letter of an escape', { text: 'x\nabc12345678', other: 'kept' }],
    ['a secret at the end of a string', { text: 'nabc12345678', other: 'kept' }],
    ['the BEGIN line of a private key', { text: BEGIN, other: 'kept' }],
    ['the start of a private key', { text: `${BEGIN}\n${LINE}`, other: 'kept' }],
    ['an unclosed quote in a header', { text: 'authorization: "token ', other: 'kept' }],
    ['a backslash at the end', { text: `${TOKENS['a GitHub token']}\\`, other: 'kept' }],
  ])('stays valid JSON and keeps its other fields: %s', (_name, data) => {
    expect(JSON.parse(redactJson(JSON.stringify(data), redact))).toMatchObject({ other: 'kept' });
  });

  it.each(Object.entries(TOKENS))(
    'does not contain %s from a string, a list or a field name',
    (_name, token) => {
      const data = { text: `x\n${token}`, list: [[`\t${token}`]], [token]: { nested: `\r${token}` } };
      expect(JSON.stringify(redactStrings(data, redact))).not.toContain(token);
    },
  );

  it('does not contain the credential of an authorization header', () => {
    const headers = { 'Proxy-Authorization': 'Basic dXNlcjpwYXNz', authorization: 'token abcdef123456' };
    expect(redactStrings({ headers }, redact)).toEqual({
      headers: { 'Proxy-Authorization': 'Basic [redacted]', authorization: 'token [redacted]' },
    });
  });
});

describe('ordinary text', () => {
  it.each([
    'Use an sk-learn-compatible-estimator here.',
    'class="sk-folding-cube-animation"',
    'Authorization: Bearer authentication is required.',
    'The header Authorization: token must be set',
    'A name such as github_pat_is_the_prefix_of_tokens',
    'const value = keyJsonDocument.some.field.of.it;',
  ])('is kept: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

const random = (seed: string, length: number): string =>
  Array.from({ length }, (_, at) => seed.charCodeAt(at % seed.length) * 7 + at * 31)
    .map((code, at) =>
      'kQ7wZ2mX9vB4nR6tY1uP8sD3fG5hJ0cLaEoIiKxWzNqTbVyMrSgHdFjAlCpUe'.charAt((code + at * at) % 61),
    )
    .join('');
const hex = (seed: string): string => Buffer.from(random(seed, 32)).toString('hex');
const jwt = (seed: string): string =>
  [{ alg: 'RS256' }, { sub: random(seed, 30) }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat(random(`${seed}s`, 43))
    .join('.');

/** One invented secret of each kind that MergeXO handles. */
export const CANARIES = {
  'a classic GitHub token': `ghp_${random('classic', 36)}`,
  'a fine-grained GitHub token': `github_pat_${random('fine', 22)}_${random('grained', 59)}`,
  'a GitHub CLI token': `gho_${random('gh', 36)}`,
  'the reviewer’s token': `ghs_4711_${jwt('reviewer')}`,
  'the Redis password': `${random('redis', 12)}/+&"<${random('redis2', 12)}`,
  'the dashboard password': `correct horse ${random('battery', 10)}`,
  'the signing secret': hex('signing'),
  'an older signing secret': hex('older'),
  'an OpenAI key': `sk-proj-${random('openai', 48)}`,
  'an Anthropic key': `sk-ant-api03-${random('anthropic', 60)}`,
  'a Codex refresh token': `rt_${random('refresh', 60)}`,
  'a Codex access token': jwt('access'),
} as const;

export type CanaryName = keyof typeof CANARIES;

const characters = (secret: string, encode: (code: number, at: number) => string): string =>
  Array.from(secret, (character, at) => encode(character.charCodeAt(0), at)).join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const wrap = (text: string, width: number, end: string): string =>
  text.replace(new RegExp(`.{${width}}(?=.)`, 'g'), `$&${end}`);
const toHex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

const NAMED: Readonly<Record<string, string>> = {
  _: '&lowbar;',
  '/': '&sol;',
  '+': '&plus;',
  '=': '&equals;',
  '.': '&period;',
};

/** The ways in which an agent or a program may write a secret. */
export const ENCODINGS: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'in upper-case hexadecimal': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'in base64': base64,
  'in base64 after one byte': (secret) => base64(`:${secret}`),
  'in base64 after two bytes': (secret) => base64(`x:${secret}@host`),
  'in base64url': (secret) => Buffer.from(`user:${secret}`).toString('base64url'),
  'percent-encoded': (secret) => characters(secret, (code) => `%${toHex(code, 2).toUpperCase()}`),
  'percent-encoded in part': (secret) =>
    characters(secret, (code, at) => (at % 3 === 0 ? `%${toHex(code, 2)}` : String.fromCharCode(code))),
  'in JSON escapes': (secret) => characters(secret, (code) => `\\u${toHex(code, 4)}`),
  'in JSON inside JSON': (secret) => JSON.stringify(JSON.stringify({ secret })),
  'in \\x escapes': (secret) => characters(secret, (code) => `\\x${toHex(code, 2)}`),
  'in HTML entities': (secret) =>
    characters(secret, (code, at) => (at % 2 === 0 ? `&#${code};` : `&#x${toHex(code, 2)};`)),
  'on wrapped lines': (secret) => wrap(secret, 10, '\n'),
  'on wrapped and indented lines': (secret) => wrap(secret, 9, '\r\n    '),
  'in wrapped base64': (secret) => wrap(base64(secret), 12, '\n'),
  'in quoted base64': (secret) => wrap(base64(`a${secret}`), 16, '\n> '),
  'between invisible characters': (secret) => wrap(secret, 4, '\u200b'),
  'between direction marks': (secret) => wrap(secret, 4, '\u200e\u2066'),
  'between control characters': (secret) => wrap(secret, 4, '\u001b\u0008'),
  'between variation selectors': (secret) => wrap(secret, 4, '\ufe0f\u{e0061}'),
  'in padded HTML entities': (secret) => characters(secret, (code) => `&#${'0'.repeat(9)}${code};`),
  'with named HTML entities': (secret) => secret.replace(/[_/+=.]/g, (mark) => NAMED[mark] ?? mark),
  'in full-width letters': (secret) =>
    characters(secret, (code) => String.fromCharCode(code > 32 && code < 127 ? code + 0xfee0 : code)),
};

export const CANARY_ROWS = Object.entries(CANARIES).flatMap(([name, secret]) =>
  Object.entries(ENCODINGS).map(([encoding, encode]) => ({ name, encoding, secret, text: encode(secret) })),
);

const WINDOW = 12;

type Canary = { secret: string; text: string };

/** Returns the first part of the secret, or of its encoded form, that the output still contains. */
export const findLeak = (output: string, canary: Canary): string | undefined =>
  createLeakFinder(output)(canary);

/** Decodes the output once, to search it for many canaries. */
export function createLeakFinder(output: string): (canary: Canary) => string | undefined {
  const views = [output, decodeOnce(output), decodeOnce(decodeOnce(output))]
    .flatMap((view) => [view, view.replace(/[\s>\u200b]/g, '')])
    .join('\n')
    .toLowerCase();
  return ({ secret, text }) => {
    const encoded = [
      Buffer.from(secret).toString('hex'),
      ...[0, 1, 2].map((at) => base64('\0'.repeat(at) + secret)),
    ];
    return [secret, text, ...encoded]
      .flatMap((form) => listWindows(form.replace(/[\s>\u200b]/g, '')))
      .find((part) => views.includes(part.toLowerCase()));
  };
}

function listWindows(form: string): string[] {
  // The first digits of base64 also encode the bytes before the secret.
  const starts = Array.from({ length: Math.floor((form.length - 4) / WINDOW) }, (_, at) => 4 + at * WINDOW);
  return starts.map((start) => form.slice(start, start + WINDOW)).filter(({ length }) => length === WINDOW);
}

function decodeOnce(text: string): string {
  const toCharacter = (_found: string, digits: string): string =>
    String.fromCharCode(Number.parseInt(digits, 16));
  return text
    .replace(/(?:\\u00|\\x|%|&#x)([0-9a-f]{2});?/gi, toCharacter)
    .replace(/&#(\d{2,3});/g, (_found, digits: string) => String.fromCharCode(Number(digits)))
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replace(/\\(["\\nrt])/g, (_found, mark: string) => (/["\\]/.test(mark) ? mark : '\n'));
}

import { CANARIES, measureGrowth } from '@mergexo/testkit';
import { createFindSecrets } from './find-secrets.js';

const KNOWN = 'k3-correct-horse/battery+staple';
const TOKEN = `ghp_${'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ'}${'0mLq17'}`;
const INSTALLATION_TOKEN = CANARIES['the reviewer’s token'];
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the content of a file', () => {
  const find = createFindSecrets([
    KNOWN,
    'redis://:s3cret%2Fpassword@cache:6379',
    'https://proxy.example:3128',
  ]);

  it.each<[string, string | Buffer]>([
    ['verbatim', `key = "${KNOWN}"\n`],
    ['without a line break', KNOWN],
    ['in the middle of a word', `x${KNOWN}x`],
    ['in JSON', JSON.stringify({ key: KNOWN })],
    ['in a URL', `https://x.example/?key=${encodeURIComponent(KNOWN)}`],
    ['in base64', base64(KNOWN)],
    ['in base64 after one letter', base64(`x${KNOWN}`)],
    ['in base64 as `user:password`', base64(`us:${KNOWN}\n`)],
    ['in base64 for URLs', Buffer.from(`ab${KNOWN}`).toString('base64url')],
    ['in base64 with line breaks', base64(KNOWN).replace(/.{10}/g, '$&\n')],
    ['in hexadecimal', Buffer.from(KNOWN).toString('hex')],
    ['in upper-case hexadecimal', Buffer.from(KNOWN).toString('hex').toUpperCase()],
    ['in UTF-16', Buffer.from(KNOWN, 'utf16le')],
    ['in UTF-16 with the bytes swapped', Buffer.from(KNOWN, 'utf16le').swap16()],
    ['with spaces between its letters', [...KNOWN].join(' ')],
    ['over several lines', [...KNOWN].join('\r\n')],
    ['in a binary file', Buffer.concat([Buffer.from([0, 255, 0, 1]), Buffer.from(KNOWN)])],
    ['after five megabytes', Buffer.concat([Buffer.alloc(5_000_000, 'x\n'), Buffer.from(KNOWN)])],
    ['as a GitHub token that MergeXO does not know', `${TOKEN}\n`],
    ['as a GitHub token between letters', `x${TOKEN}x`],
    ['as a GitHub token in UTF-16', Buffer.from(TOKEN, 'utf16le')],
    [
      'as a fine-grained GitHub token',
      `github_pat_11ABCDEFG0aBcDeFgHiJkL_${'mN0pQrStUvWxYz12345678'.repeat(3).slice(0, 59)}`,
    ],
    ['as an Anthropic key', `sk-ant-api03-${'aB3dE5fG7hJ9kL1mN0pQ2rS4tU6vW8xY'.repeat(3).slice(0, 93)}AA`],
    ['as an OpenAI key', `sk-proj-${'aB3dE5fG7hJ9kL1mN0pQ'}T3BlbkFJ${'2rS4tU6vW8xYzA1bC3dE'}`],
    ['as an installation token', `ghs_${TOKEN.slice(4)}`],
    ['as an installation token that contains a JWT', `x${INSTALLATION_TOKEN}.\n`],
    ['as an installation token after another start', `ghs_1_eyJhbGciOi${INSTALLATION_TOKEN}`],
    ['as an installation token in UTF-16', Buffer.from(INSTALLATION_TOKEN, 'utf16le')],
    ['as an npm token', `npm_${TOKEN.slice(4)}`],
    ['as the password of a URL', 's3cret/password'],
  ])('is reported if it contains a secret %s', (_name, content) => {
    expect(find(Buffer.from(content))).toHaveLength(1);
  });

  it.each<[string, string]>([
    ['a token with a wrong checksum', `${TOKEN.slice(0, -1)}8`],
    ['a token that a test made up', `ghp_${'a1'.repeat(18)}`],
    ['a fine-grained token that a test made up', `github_pat_${'A1'.repeat(11)}_${'B2'.repeat(30).slice(1)}`],
    ['a JWT', INSTALLATION_TOKEN.slice('ghs_4711_'.length)],
    [
      'an installation token that a test made up',
      `${INSTALLATION_TOKEN.replace(/[^.]+$/, '')}${'c3_-'.repeat(60)}`,
    ],
    ['an Anthropic key that a document made up', `sk-ant-api03-${'x'.repeat(95)}`],
    ['the address of a server', 'https://proxy.example:3128'],
    ['the first half of a secret', KNOWN.slice(0, 15)],
  ])('is not reported if it is %s', (_name, content) => {
    expect(find(Buffer.from(content))).toEqual([]);
  });

  it.each(['', 'short', 'production', 'changeme', 'localhost', '12345678'])(
    'is not reported for containing %j, which is too ordinary to be a secret',
    (word) => {
      expect(createFindSecrets([word])(Buffer.from(`a ${word} b`))).toEqual([]);
    },
  );

  it.each<[string, string]>([
    ['the start of a key', 'sk-'],
    ['the middle of a key', 'T3BlbkFJ'],
    ['the start of a token', 'ghp_a'],
    ['the start of an installation token', 'ghs_1_eyJ'],
    ['the parts of an installation token', `${INSTALLATION_TOKEN.slice(0, 40)}.eyJ`],
    ['blanks', ' \0\n'],
  ])('is searched in linear time if it repeats %s', (_name, piece) => {
    const search = (size: number) => void find(Buffer.from(piece.repeat(size)));
    expect(measureGrowth(search, { from: 5_000, to: 80_000 })).toBeLessThan(1.6);
  });
});

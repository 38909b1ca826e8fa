import { createRedact } from '@mergexo/core/text';
import { createLog } from './create-log.js';

const TOKEN = `ghp_${'A1b2C3d4'.repeat(4)}abcd`;
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl';

describe('a log line', () => {
  const write = (facts: Readonly<Record<string, unknown>>, message: string): string => {
    const lines: string[] = [];
    const redact = createRedact(['nabc12345678', 'bob@12345678']);
    const stdout = { write: (line: string) => lines.push(line) };
    createLog({ app: 'poller', level: 'info', redact, stdout }).log.warn(facts, message);
    expect(lines).toHaveLength(1);
    return lines.join('');
  };

  it.each([
    ['a private key header in a field', { title: '-----BEGIN PRIVATE KEY-----', who: 'mallory' }, 'done'],
    [
      'an unterminated private key in a field',
      { title: `-----BEGIN PRIVATE KEY-----\n${'MIIa'.repeat(16)}\n`, who: 'mallory' },
      'done',
    ],
    [
      'a secret whose first letter is also that of an escape sequence',
      { title: 'x\nabc12345678', who: 'mallory' },
      'done',
    ],
    ['an authorization header that ends with a quote', { title: 'authorization: "', who: 'mallory' }, 'done'],
    ['an unterminated URL', { title: 'https://a:b', who: 'mallory', mail: 'c@d' }, 'done'],
    ['a backslash after a token', { title: `${TOKEN}\\`, who: 'mallory' }, 'done'],
  ])('stays valid and complete with %s', (_name, facts, message) => {
    const line = write(facts, message);
    expect(line.endsWith('}\n')).toBe(true);
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', app: 'poller', who: 'mallory', message });
  });

  it.each([
    ['a GitHub token after a line break', { text: `denied\n${TOKEN}` }, TOKEN],
    ['an AWS key id after a tab', { text: 'x\tAKIAABCDEFGHIJKLMNOP' }, 'AKIAABCDEFGHIJKLMNOP'],
    ['a JWT after a line break', { text: `\n${JWT}` }, JWT],
    ['a token in nested JSON', { text: JSON.stringify({ text: JSON.stringify(`\n${TOKEN}`) }) }, TOKEN],
    ['a token as a field name', { nested: { [TOKEN]: 1 } }, TOKEN],
    ['a token in the cause of an error', { err: new Error('a', { cause: new Error(`\n${TOKEN}`) }) }, TOKEN],
    ['an authorization header', { headers: { authorization: 'token abcdef123456' } }, 'abcdef123456'],
    ['a known secret after a line break', { text: '\nbob@12345678' }, 'bob@12345678'],
  ])('does not contain %s', (_name, facts, secret) => {
    expect(write(facts, 'failed')).not.toContain(secret);
    expect(write({}, `failed:\n${secret}`)).not.toContain(TOKEN);
  });
});

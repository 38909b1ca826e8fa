import { createRedact } from './redact.js';

const redact = createRedact(['s3cr"et\nvalue!', 'short']);

describe('createRedact', () => {
  it.each([
    ['a classic token', `ghp_${'a1'.repeat(18)}`],
    ['an installation token', `ghs_${'Z9'.repeat(18)}`],
    [
      'an installation token with a JWT',
      `ghs_123456_eyJ${'a1'.repeat(20)}.eyJ${'b2'.repeat(100)}.${'c3_-'.repeat(60)}`,
    ],
    ['a fine-grained token', `github_pat_${'A_1'.repeat(20)}`],
    ['an Anthropic key', `sk-ant-api03-${'x'.repeat(40)}`],
    ['an OpenAI key', `sk-proj-${'y7'.repeat(20)}`],
    ['an AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
    ['a JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
    ['a known secret', 's3cr"et\nvalue!'],
    ['a known secret in JSON', 's3cr\\"et\\nvalue!'],
    ['a known secret in base64', Buffer.from('s3cr"et\nvalue!').toString('base64')],
    ['a known secret with a zero byte in it', 's3cr"et\nva\0lue!'],
    ['a known secret in hex', Buffer.from('s3cr"et\nvalue!').toString('hex')],
    ['a known secret in a URL', encodeURIComponent('s3cr"et\nvalue!')],
  ])('removes %s', (_name, secret) => {
    expect(redact(`before ${secret} after`)).toBe('before [redacted] after');
  });

  it('keeps the user but not the password of a URL', () => {
    expect(redact('redis://default:hunter2hunter2@cache:6379/0')).toBe(
      'redis://default:[redacted]@cache:6379/0',
    );
  });

  it('removes authorization headers, even inside JSON', () => {
    expect(redact('{"authorization":"Basic eC1hY2Nlc3M6dG9r"}')).toBe('{"authorization":"Basic [redacted]"}');
    expect(redact('Authorization: token abcdef123456')).toBe('Authorization: token [redacted]');
  });

  it('removes whole private keys', () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\\nMIIabc\\n-----END RSA PRIVATE KEY-----';
    expect(redact(`key ${key} end`)).toBe('key [redacted] end');
  });

  it('keeps ordinary text and values that are too short to be secrets', () => {
    const text = 'a short sketch of sk-ills and https://github.com/o/n/pull/1#issuecomment-2';
    expect(redact(text)).toBe(text);
  });
});

import { measureGrowth } from '@mergexo/testkit';
import { looksLikeSecret, soundsSecret } from './looks-like-secret.js';

const filler = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';

describe('looksLikeSecret', () => {
  it.each([
    ...[
      'ghp_',
      'gho_',
      'ghu_',
      'ghs_',
      'ghr_',
      'github_pat_',
      'glpat-',
      'sk-ant-',
      'sk-proj-',
      'sk-',
      'AIza',
      'xoxb-',
      'npm_',
    ].map((start) => start + filler),
    `ghs_123456_eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxIn0.${filler}`,
    'AKIAIOSFODNN7EXAMPLE',
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${filler}`,
    '-----BEGIN OPENSSH PRIVATE KEY-----',
    `Authorization: Bearer ${filler}`,
    'https://example.com/?access_token=x',
    'https://ada:pw@example.com',
    'redis://:pw@example.com',
    `--config=x --key ghp_${filler} --y`,
  ])('recognizes %s', (text) => expect(looksLikeSecret(text)).toBe(true));

  it.each([
    'gpt-5.5',
    'claude-opus-4',
    'task-runner-for-everything-that-is-long-enough',
    'git@github.com:octo-org/hello.git',
    'ssh://git@github.com/octo-org/hello.git',
    'redis://queue@redis.example.com:6379/1',
    'https://github.example.com/api/v3',
    'max_tokens=5',
    '(^|/)tests?/.*:.*@',
  ])('accepts %s', (text) => expect(looksLikeSecret(text)).toBe(false));

  it.each(['eyJ', 'a://', 'a:', 'ghp_', 'sk-ant-', 'Bearer ', '-----BEGIN '])(
    'takes linear time for repeated %j',
    (piece) => {
      const look = (size: number) => looksLikeSecret(piece.repeat(size / piece.length));
      expect(measureGrowth(look, { from: 20_000, to: 320_000 })).toBeLessThan(1.6);
    },
  );
});

describe('soundsSecret', () => {
  it.each([
    'token',
    'github_token',
    'githubToken',
    'GITHUB-TOKEN',
    'secret',
    'password',
    'api_key',
    'apikey',
    'openai_api_key',
    'private_key',
    'credentials',
  ])('recognizes %s', (key) => expect(soundsSecret(key)).toBe(true));
  it.each(['tokens', 'max_tokens', 'keyboard', 'path', 'pattern', 'key_prefix', 'secretary'])(
    'accepts %s',
    (key) => expect(soundsSecret(key)).toBe(false),
  );
});

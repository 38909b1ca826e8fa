import { createRedact } from '@mergexo/core/text';
import { createKnownSecrets, listPassedSecrets } from './known-secrets.js';

describe('createKnownSecrets', () => {
  it('redacts and finds secrets that the worker learns later', () => {
    const redact = createRedact([]);
    const { learn, findSecrets } = createKnownSecrets(redact, ['first-secret-1']);
    const text = 'first-secret-1 second-secret-2';
    expect(findSecrets(Buffer.from(text))).toHaveLength(1);
    learn(['second-secret-2', 'first-secret-1']);
    expect(redact(text)).toBe('[redacted] [redacted]');
    expect(findSecrets(Buffer.from(text))).toHaveLength(2);
  });
});

describe('listPassedSecrets', () => {
  it('returns passed variables whose name or value looks like a secret', () => {
    const env = {
      OPENAI_API_KEY: 'k1',
      MODEL_KEY: 'k2',
      AUTH_TOKEN: 'k3',
      PLAIN: `ghp_${'a1'.repeat(18)}`,
      PROXY: 'http://user:password@proxy:3128',
      ANTHROPIC_MODEL: 'claude-sonnet-4-20250514',
      NODE_ENV: 'production',
      EMPTY_KEY: '',
      NOT_PASSED_KEY: 'k4',
    };
    const names = Object.keys(env).filter((name) => name !== 'NOT_PASSED_KEY');
    const secrets = ['k1', 'k2', 'k3', env.PLAIN, env.PROXY];
    expect(listPassedSecrets([...names, 'MISSING_KEY'], env)).toEqual(secrets);
  });
});

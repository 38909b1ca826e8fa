import { readRealTarget } from './bench.js';

describe('the real target', () => {
  const token = { MERGEXO_CONTRACT_TOKEN: 'x' };

  it('is refused unless the name of the repository contains sandbox', () => {
    expect(() => readRealTarget({ ...token, MERGEXO_CONTRACT_REPO: 'acme/product' })).toThrow('sandbox');
    expect(() => readRealTarget({ ...token, MERGEXO_CONTRACT_REPO: 'sandbox/product' })).toThrow('sandbox');
  });

  it('is read from the environment, and is absent without it', () => {
    expect(readRealTarget({ ...token, MERGEXO_CONTRACT_REPO: 'acme/my-sandbox' })?.gitUrl).toContain(
      'acme/my-sandbox.git',
    );
    expect(readRealTarget({})).toBeUndefined();
  });
});

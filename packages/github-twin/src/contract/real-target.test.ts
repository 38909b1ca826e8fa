import { readRealTarget } from './bench.js';

describe('the real repository for the contract tests', () => {
  const token = { MERGEXO_CONTRACT_TOKEN: 'x' };

  it('is refused unless its name contains "sandbox"', () => {
    expect(() => readRealTarget({ ...token, MERGEXO_CONTRACT_REPO: 'acme/product' })).toThrow('sandbox');
    expect(() => readRealTarget({ ...token, MERGEXO_CONTRACT_REPO: 'sandbox/product' })).toThrow('sandbox');
  });

  it('is read from the environment, and is undefined if the variables are not set', () => {
    expect(readRealTarget({ ...token, MERGEXO_CONTRACT_REPO: 'acme/my-sandbox' })?.gitUrl).toContain(
      'acme/my-sandbox.git',
    );
    expect(readRealTarget({})).toBeUndefined();
  });
});

import { createHmac } from 'node:crypto';
import { renderSignature, verifySignature } from './signature.js';

const digest = (secret: string) => createHmac('sha256', secret).update('Hello, World!').digest('hex');

describe('the signature of a delivery', () => {
  it("matches the example in GitHub's documentation", () => {
    const example = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    expect(renderSignature(digest("It's a Secret to Everybody"))).toBe(example);
    expect(verifySignature(example, [digest("It's a Secret to Everybody")])).toBe(true);
  });

  it('may be made with the new or the old secret', () => {
    const digests = [digest('new'), digest('old')];
    expect(verifySignature(renderSignature(digest('new')), digests)).toBe(true);
    expect(verifySignature(renderSignature(digest('old')), digests)).toBe(true);
  });

  it.each([
    ['missing', undefined],
    ['empty', ''],
    ['made with another secret', renderSignature(digest('other'))],
    ['without its prefix', digest('new')],
    ['shortened', renderSignature(digest('new')).slice(0, -1)],
    ['a SHA-1 signature', 'sha1=7d38cdd689735b008b3c702edd92eea23791c5f6'],
  ])('is rejected if it is %s', (_name, header) => {
    expect(verifySignature(header, [digest('new')])).toBe(false);
  });

  it('is rejected if no secret is known', () => {
    expect(verifySignature(renderSignature(digest('')), [])).toBe(false);
  });
});

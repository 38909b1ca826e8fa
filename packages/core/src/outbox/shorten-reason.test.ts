import { renderBlockNotice, shortenReason } from './render-posts.js';

it('cuts no surrogate pair, because GitHub refuses half of one', () => {
  const reason = `${'a'.repeat(599)}😀 and more`;
  expect(shortenReason(reason)).toBe(`${'a'.repeat(599)} …`);
  expect(renderBlockNotice({ reason, remedy: '' })).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
});

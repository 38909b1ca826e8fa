import { renderBlockNotice, shortenReason } from './render-posts.js';

it('never splits a surrogate pair, because GitHub rejects half of one', () => {
  const reason = `${'a'.repeat(599)}😀 and more`;
  expect(shortenReason(reason)).toBe(`${'a'.repeat(599)} …`);
  expect(renderBlockNotice({ reason, remedy: '' })).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
});

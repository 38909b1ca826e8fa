import { hasFrontmatter } from './has-frontmatter.js';

describe('hasFrontmatter', () => {
  it.each([
    ['a design document', '---\nissue: 7\npriority: 3\n---\n\n# Plan\n', true],
    ['a document with CRLF line breaks', '---\r\nissue: 7\r\n---\r\n# Plan\r\n', true],
    ['a document without frontmatter', '# Plan\n', false],
    ['an unclosed block', '---\nissue: 7\n# Plan\n', false],
    ['a block without an issue', '---\npriority: 3\n---\nissue: 7\n', false],
    ['a block that does not start the document', '# Plan\n---\nissue: 7\n---\n', false],
    ['a block whose issue has no number', '---\nissue:\npriority: 3\n---\n', false],
    ['an empty block', '---\n---\nissue: 7\n', false],
    ['an empty document', '', false],
  ])('classifies %s', (_name, text, expected) => {
    expect(hasFrontmatter(text)).toBe(expected);
  });
});

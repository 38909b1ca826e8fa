import { hasFrontmatter } from './has-frontmatter.js';

describe('hasFrontmatter', () => {
  it.each([
    ['a document of ours', '---\nissue: 7\npriority: 3\n---\n\n# Plan\n', true],
    ['other line ends', '---\r\nissue: 7\r\n---\r\n# Plan\r\n', true],
    ['no block', '# Plan\n', false],
    ['a block that does not end', '---\nissue: 7\n# Plan\n', false],
    ['a block without its issue', '---\npriority: 3\n---\nissue: 7\n', false],
    ['a block further down', '# Plan\n---\nissue: 7\n---\n', false],
    ['a block whose issue has no number', '---\nissue:\npriority: 3\n---\n', false],
    ['an empty block', '---\n---\nissue: 7\n', false],
    ['nothing', '', false],
  ])('%s', (_name, text, expected) => {
    expect(hasFrontmatter(text)).toBe(expected);
  });
});

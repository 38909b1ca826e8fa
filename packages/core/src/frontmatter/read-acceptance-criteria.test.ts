import { readAcceptanceCriteria } from './read-acceptance-criteria.js';

const read = (section: string): string[] =>
  readAcceptanceCriteria(
    `---\nissue: 7\n---\n\n# T\n\n## Acceptance criteria\n\n${section}\n\n## Next\n\n- no\n`,
  ).map(({ number, text }) => `${number} ${text}`);

describe('readAcceptanceCriteria', () => {
  it.each<[string, string, string[]]>([
    ['a numbered list', '1. a\n2. b\n3) c', ['1 a', '2 b', '3 c']],
    ['bullets', '- a\n* b\n+ c', ['1 a', '2 b', '3 c']],
    ['checkboxes', '- [ ] a\n- [x] b', ['1 a', '2 b']],
    ['text around the list', 'It holds that:\n\n- a\n- b\n\nThat is all.\n\n  Really.', ['1 a', '2 b']],
    ['items over several lines', '- a\n  and b\nand c\n- d', ['1 a and b and c', '2 d']],
    ['items with paragraphs', '1. a\n\n   b\n\n2. c', ['1 a b', '2 c']],
    ['nested lists', '- a\n  - b\n    1. c\n- d', ['1 a b c', '2 d']],
    ['an indented list', 'Namely:\n\n  - a\n  - b\n    c', ['1 a', '2 b c']],
    ['code within an item', '- a\n  ```\n- b\n# c\n  ```\n- d', ['1 a b # c', '2 d']],
    ['lists below smaller headings', '### One\n- a\n### Two\n- b', ['1 a', '2 b']],
    ['items numbered by position', '1. a\n1. b\n7. c', ['1 a', '2 b', '3 c']],
    ['no criteria from a section without a list', 'It works.', []],
  ])('reads %s', (_name, section, expected) => {
    expect(read(section)).toEqual(expected);
  });

  it('finds no criteria without the heading, and accepts other names for the heading', () => {
    expect(readAcceptanceCriteria('# T\n\n- a\n')).toEqual([]);
    expect(readAcceptanceCriteria('## 4. Definition of done\r\n\r\n1. a\r\n')).toEqual([
      { number: 1, text: 'a' },
    ]);
  });

  it('returns at most fifty criteria of five hundred characters each', () => {
    const items = read(`- ${'x'.repeat(600)}\n`.repeat(60));
    expect(items).toHaveLength(50);
    expect(items[0]).toBe(`1 ${'x'.repeat(500)}`);
  });
});

import { listMentions } from './list-mentions.js';

describe('listMentions', () => {
  it.each<[string, string, number[]]>([
    ['a number', 'See #12.', [12]],
    ['several numbers, each once', '#3, #1 and (#3)', [3, 1]],
    ['the name of the repository', 'Acme/App#4', [4]],
    ['the URL of an issue or a pull request', 'https://github.example/acme/app/pull/5#discussion', [5]],
    ['nothing for another repository', 'acme/other#4 https://github.example/acme/other/issues/6', []],
    ['nothing for a color, an entity or a heading', '#12ab &#35; # 7 ##8', []],
    ['nothing for zero', '#0', []],
  ])('finds %s', (_name, text, numbers) => {
    expect(listMentions([text], 'acme/app')).toEqual(numbers);
  });

  it('reads the texts in order', () => {
    expect(listMentions(['#2', '#9 and #2'], 'acme/app')).toEqual([2, 9]);
  });
});

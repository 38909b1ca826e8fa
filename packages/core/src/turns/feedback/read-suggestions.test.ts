import { readSuggestions } from './read-suggestions.js';

describe('readSuggestions', () => {
  it.each<[string, string, string[]]>([
    ['one block', 'Better:\n```suggestion\n  a();\n  b();\n```\nOK?', ['  a();\n  b();']],
    ['an empty block', '```suggestion\n```', ['']],
    ['an empty line', '```suggestion\n\n```', ['']],
    ['a block in longer fences', '````suggestion\n```js\n````', ['```js']],
    ['two blocks', '```suggestion\na\n```\n```suggestion\nb\n```', ['a', 'b']],
    ['no other code', '```js\na\n```', []],
    ['no quoted block', '> ```suggestion\n> a\n> ```', []],
    ['no block in an HTML comment', '<!--\n```suggestion\na\n```\n-->', []],
  ])('reads %s', (_name, body, replacements) => {
    expect(readSuggestions(body)).toEqual(replacements);
  });
});

import { HtmlRenderer, Parser } from 'commonmark';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, html, parseFragment } from 'parse5';
import { signBody } from '../outbox/marker.js';
import { closeMarkdown } from './close-markdown.js';

type Node = DefaultTreeAdapterTypes.ChildNode;

/** Renders Markdown as a browser does, with parsers that the code under test does not use. */
function render(markdown: string): Node[] {
  const markup = new HtmlRenderer().render(new Parser().parse(markdown));
  const context = defaultTreeAdapter.createElement('div', html.NS.HTML, []);
  return parseFragment(context, markup, {}).childNodes.filter(
    (node) => !('value' in node && node.value.trim() === ''),
  );
}

const show = (node: Node | undefined): string => {
  if (node === undefined) return '';
  if ('value' in node) return node.value;
  if ('data' in node) return `<!--${node.data}-->`;
  if (!('childNodes' in node)) return node.nodeName;
  return `<${node.nodeName}>${node.childNodes.map(show).join('')}</${node.nodeName}>`;
};

const keys = { current: 'k'.repeat(64), older: [] };
const place = { repoId: 1, thread: '3' };
const below = (text: string): string[] => {
  const body = signBody(`${text}\n\nFixes #3`, { meta: { run: 'r' }, place, keys });
  return render(body).slice(-3).map(show);
};
const OURS = [
  '<p>Fixes #3</p>',
  expect.stringMatching(/^<!-- mergexo-meta:v1 .* -->$/),
  expect.stringMatching(/^<!-- mergexo-action:\w+ -->$/),
];

describe('closeMarkdown', () => {
  it.each([
    ['a fence', 'See:\n\n```ts\ncode', 'See:\n\n```ts\ncode\n```'],
    ['a tilde fence', '~~~\ncode', '~~~\ncode\n~~~'],
    ['a long fence', '`````md\n```\ncode\n```', '`````md\n```\ncode\n```\n`````'],
    ['an indented fence', '  ```\n  code', '  ```\n  code\n```'],
    ['a fence with text after its closing marks', '```\ncode\n``` end', '```\ncode\n``` end\n```'],
    ['a second fence', '```\na\n```\n\n```\nb', '```\na\n```\n\n```\nb\n```'],
    [
      'a `<details>` element',
      '<details>\n<summary>Log</summary>\n\ntext',
      '<details>\n<summary>Log</summary>\n\ntext\n\n</details>',
    ],
    [
      'a `<details>` element with a fence',
      '<details>\n\n```\ncode',
      '<details>\n\n```\ncode\n```\n\n</details>',
    ],
    ['preformatted HTML', '<pre>\n\ncode', '<pre>\n\ncode\n\n</pre>'],
    ['bold HTML in a sentence', 'this <b>is bold', 'this <b>is bold\n\n</b>'],
    [
      'nested HTML',
      '<div>\n<table>\n<tr><td>x',
      '<div>\n<table>\n<tr><td>x\n\n</td>\n</tr>\n</table>\n</div>',
    ],
  ])('closes %s', (_what, text, closed) => {
    expect(below(text)).not.toEqual(OURS);
    expect(closeMarkdown(text)).toBe(closed);
    expect(below(closed)).toEqual(OURS);
  });

  it.each([
    ['an unclosed attribute', '<div title="'],
    ['a script', '<script>\n\nx'],
    ['a `<textarea>` element', '<textarea>\n\nx'],
    ['a `<plaintext>` element', '<plaintext>\n\nx'],
    ['a processing instruction', '<?php\n\nx'],
    ['a declaration', '<!DOCTYPE\n\nx'],
    ['a CDATA section', '<![CDATA[\n\nx'],
    ['an HTML comment', '<!-- x\n\ny'],
    ['a table in a quote', '> <table>'],
    ['overlapping tags', '<div><b>\n\n</div>x'],
    ['a tag in a footnote', '[^1]: \t<select>'],
    ['a closing tag in a link definition', '<details>\n\n[x]: </details>'],
    ['a closing tag in a link title', '<details>\n\n[x]: y\n"</details>"'],
    ['a closing tag in a footnote below a line', '<details>\n\na\n[^1]: </details>'],
    ['a tag in emphasis', '*</p><table>*'],
    ['an omitted closing tag', '<a href="x"><li></a>'],
    ['HTML below more quotes than the parser reads', `${'>'.repeat(150)} <div title="`],
    [
      'more tags than a browser should read',
      Array.from({ length: 400 }, (_, n) => `<b id="${n}">`).join('\n\n'),
    ],
  ])('escapes HTML that closing tags cannot repair: %s', (_what, text) => {
    const closed = closeMarkdown(text);
    expect(closed.replaceAll('\u2060', '')).toBe(text);
    expect(closed).not.toMatch(/<[A-Za-z/?!]/);
    expect(below(closed)).toEqual(OURS);
  });

  it.each(['[', '!['])('closes HTML in any number of nested brackets: %s', (bracket) => {
    const text = `${bracket.repeat(150)}<details>${'](x)'.repeat(150)}`;
    expect(below(closeMarkdown(text))).toEqual(OURS);
  });

  it('keeps code unchanged when it escapes HTML', () => {
    const code = '```html\n<script>\n```';
    expect(closeMarkdown(`${code}\n\nList<T>`)).toBe(`${code}\n\nList<\u2060T>`);
  });

  it.each([
    'plain words',
    '```\ncode\n```',
    '- ```\n  code in a list ends with it',
    '> ~~~\n> code in a quote ends with it',
    '<details>\n<summary>Log</summary>\n\n```\nx\n```\n\n</details>',
    'Use `Map<string, T>` or `<div>`, 1 < 2, <https://example.org>',
    '    <div> in indented code',
    '\\<div> and &lt;div>',
    'a<br>b<img src="x">',
    '<ul><li>one</li><li>two</li></ul>',
  ])('keeps %j unchanged', (text) => {
    expect(closeMarkdown(text)).toBe(text);
    expect(below(text)).toEqual(OURS);
  });

  it('keeps our own lines at the top level, whatever the text leaves open', () => {
    const piece = fc.constantFrom(
      ...['```', '~~~', '````', '`', '\n', '\n\n', '    ', '  ', ' ', '> ', '- ', '1. ', '# ', '---', '|'],
      ...['<details>', '</details>', '<summary>', '</summary>', '<div>', '</div>', '<pre>', '</pre>', '<p>'],
      ...[
        '<b>',
        '</b>',
        '<a href="x">',
        '</a>',
        '<code>',
        '<table>',
        '<tr>',
        '<td>',
        '</table>',
        '<ul>',
        '<li>',
      ],
      ...[
        '<h1>',
        '</h2>',
        '<br/>',
        '<div',
        ' title="',
        '"',
        "'",
        '>',
        '<',
        '/',
        '!--',
        '-->',
        '<?',
        '<!A',
        ']]>',
      ],
      ...[
        '<script>',
        '</script>',
        '<textarea>',
        '<svg>',
        '<math>',
        '<select>',
        '<template>',
        '<title>',
        '<T>',
      ],
      ...[
        '[a](',
        '[a]: ',
        '[^1]: ',
        '[^1]',
        '![',
        ']',
        '\\',
        '&lt;',
        '*',
        '_',
        'x',
        '\r\n',
        '\t',
        '</p>',
        '</br>',
      ],
    );
    const words = fc
      .array(fc.oneof({ weight: 4, arbitrary: piece }, fc.string({ maxLength: 4 })), { maxLength: 25 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(words, (text) => {
        const closed = closeMarkdown(text);
        expect(below(closed)).toEqual(OURS);
        expect(closeMarkdown(closed)).toBe(closed);
      }),
      { numRuns: 1_000 },
    );
  });
});

import fc from 'fast-check';
import { renderMarkdown } from './markdown.js';

const show = (text: string) => renderMarkdown(text, { repo: '/acme/app' }).markup;
const link = (url: string, text = url) => `<a href="${url}" rel="nofollow noopener noreferrer">${text}</a>`;

describe('the Markdown renderer', () => {
  it.each([
    ['one\ntwo', '<p>one<br>\ntwo</p>'],
    ['**bold** and ~~gone~~', '<p><strong>bold</strong> and <s>gone</s></p>'],
    ['`a <b> *c*`', '<p><code>a &lt;b&gt; *c*</code></p>'],
    [
      '```js\nlet a = "<!-- seen -->";\n```',
      '<pre data-language="js"><code>let a = &quot;&lt;!-- seen --&gt;&quot;;\n</code></pre>',
    ],
    ['```suggestion\nb\n```', '<pre data-language="suggestion"><code>b\n</code></pre>'],
    [
      '- [x] done\n- [ ] *open*',
      '<ul>\n<li class="task"><input type="checkbox" disabled checked aria-label="task"> done</li>\n<li class="task"><input type="checkbox" disabled aria-label="task"> <em>open</em></li>\n</ul>',
    ],
    ['#12 is no heading', '<p><a href="/acme/app/issues/12">#12</a> is no heading</p>'],
    ["it's a#12", '<p>it&#39;s a#12</p>'],
    ['[see #12](https://a.test)', `<p>${link('https://a.test', 'see #12')}</p>`],
    ['[text](https://a.test/b_c "title")', `<p>${link('https://a.test/b_c', 'text')}</p>`],
    ['see https://a.test/x?a=1&b=2.', `<p>see ${link('https://a.test/x?a=1&amp;b=2')}.</p>`],
    ['![pic](https://a.test/p.png)', `<p>${link('https://a.test/p.png', 'pic')}</p>`],
    ['[![pic](https://a.test/p.png)](https://a.test)', `<p>${link('https://a.test', 'pic')}</p>`],
    ['a@b.test and b.test', '<p>a@b.test and b.test</p>'],
    ['&lt;kept&gt; &bogus;', '<p>&lt;kept&gt; &amp;bogus;</p>'],
  ])('renders %j', (text, markup) => {
    expect(show(text)).toBe(markup);
  });

  it.each([
    ['seen <!-- hidden --> again', '<p>seen  again</p>'],
    ['seen\n<!-- hidden\nfor long -->\nagain', '<p>seen</p>\n<p>again</p>'],
    ['<!-- a --> seen <!-- b -->', '<p>seen</p>'],
    ['seen\n\n<!-- never closed\nhidden', '<p>seen</p>'],
  ])('hides the HTML comments in %j', (text, markup) => {
    expect(show(text)).toBe(markup);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[click](javascript:alert(1))',
    '[click]( JAVASCRIPT:alert(1))',
    '<javascript:alert(1)>',
    '[click]: javascript:alert(1)\n[click]',
    '![x](data:image/svg+xml,x)',
    '[click](data:text/html,x)',
    '[click](//elsewhere.test)',
    '[a](https://x.test/"onmouseover="alert(1))',
    'https://x.test/"onmouseover="alert(1)',
    '```"><script>\nx\n```',
    '[a [b](https://x.test) c](https://y.test)',
    '<a href="javascript:alert(1)">x</a>',
    '&#x3C;script&#x3E;',
    '`<script>`',
    '- [x] <script>',
    '<!-- --!> <img src=x onerror=alert(1)> -->',
  ])('keeps %j inert', (text) => {
    const markup = show(text);
    const tags = [...markup.matchAll(/<([^>]*)>/g)].map(([, tag = '']) => tag);
    const known =
      /^\/?(?:p|code|em|strong|br|pre|a|ul|li)$|^(?:li class="task"|input type="checkbox" disabled checked aria-label="task"|pre data-language="[\w+#-]+"|a href="https?:\/\/[^"<>]*" rel="nofollow noopener noreferrer")$/;
    expect(tags.filter((tag) => !known.test(tag))).toEqual([]);
    expect(markup).not.toMatch(/<a [^>]*>(?:(?!<\/a>).)*<a /);
  });

  it('closes every tag that the renderer opens, for any input', () => {
    const pieces = fc.constantFrom(
      '*',
      '**',
      '_',
      '~~',
      '`',
      '``',
      '[',
      '](https://a.test)',
      '](',
      '\n',
      '\n\n',
      '> ',
      '- ',
      '1. ',
      '  ',
      '<!--',
      '-->',
      '```',
      '#',
      '# ',
      'x',
      ' ',
      '\\',
      '<b>',
      'https://b.test',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
        const open: string[] = [];
        for (const [, end, tag = ''] of show(parts.join('')).matchAll(/<(\/?)([a-z\d]+)[^>]*>/g)) {
          if (['br', 'hr', 'input'].includes(tag)) continue;
          if (!end) open.push(tag);
          else expect(open.pop()).toBe(tag);
        }
        expect(open).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '[',
    '](',
    '*a ',
    '**a *',
    '`',
    '`` ` ',
    '<!--',
    '<!---->',
    '> ',
    '- ',
    '![',
    '[a](https://x',
    'http://',
    '_a',
    '&',
    '# ',
    '\\',
    '>',
    '[^a]',
    '(((',
    '- a\n\n',
    '```\n',
    '~~~',
    '   - a\n',
  ])('renders a hundred thousand characters of %j within the time limit', (piece) => {
    expect(show(piece.repeat(Math.ceil(100_000 / piece.length)))).toBeDefined();
  });
});

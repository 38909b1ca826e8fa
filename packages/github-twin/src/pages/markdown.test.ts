import fc from 'fast-check';
import { renderMarkdown } from './markdown.js';

const show = (text: string) => renderMarkdown(text, { repo: '/acme/app' }).markup;
const link = (url: string, text = url) => `<a href="${url}" rel="nofollow noopener noreferrer">${text}</a>`;

describe('Markdown', () => {
  it.each([
    ['one\ntwo', '<p>one<br>\ntwo</p>'],
    ['one\r\n\r\ntwo', '<p>one</p>\n<p>two</p>'],
    [
      '**bold** and *soft* and __b__ and _s_',
      '<p><strong>bold</strong> and <em>soft</em> and <strong>b</strong> and <em>s</em></p>',
    ],
    ['***both***', '<p><strong><em>both</em></strong></p>'],
    ['~~gone~~', '<p><del>gone</del></p>'],
    ['snake_case_name and 2 * 3 * 4', '<p>snake_case_name and 2 * 3 * 4</p>'],
    ['**open', '<p>**open</p>'],
    ['*a **b* c**', '<p><em>a **b</em> c**</p>'],
    ['\\*not\\*', '<p>*not*</p>'],
    ['`a <b> *c*`', '<p><code>a &lt;b&gt; *c*</code></p>'],
    ['`` a`b ``', '<p><code>a`b</code></p>'],
    ['`open', '<p>`open</p>'],
    [
      '```js\nlet a = "<!-- seen -->";\n```',
      '<pre data-language="js"><code>let a = &quot;&lt;!-- seen --&gt;&quot;;\n</code></pre>',
    ],
    ['~~~\nnever closed', '<pre><code>never closed\n</code></pre>'],
    ['## Title ##', '<h2>Title</h2>'],
    ['Title\n===', '<h1>Title</h1>'],
    ['#12 is no heading', '<p><a href="/acme/app/issues/12">#12</a> is no heading</p>'],
    ['---', '<hr>'],
    ['> said\n> > deeper', '<blockquote><p>said</p>\n<blockquote><p>deeper</p></blockquote></blockquote>'],
    ['- a\n- b\n  - c', '<ul>\n<li>a</li>\n<li>b\n<ul>\n<li>c</li>\n</ul></li>\n</ul>'],
    ['3. a\n4. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['- a\n\n- b', '<ul>\n<li><p>a</p></li>\n<li><p>b</p></li>\n</ul>'],
    [
      '- [x] done',
      '<ul>\n<li class="task"><input type="checkbox" disabled checked aria-label="task"> done</li>\n</ul>',
    ],
    ['[text](https://a.test/b_c)', `<p>${link('https://a.test/b_c', 'text')}</p>`],
    ['see https://a.test/x?a=1&b=2.', `<p>see ${link('https://a.test/x?a=1&amp;b=2')}.</p>`],
    ['<https://a.test>', `<p>${link('https://a.test')}</p>`],
    ['![pic](https://a.test/p.png)', `<p>${link('https://a.test/p.png', 'pic')}</p>`],
    ['hello @alice, a@b.test', '<p>hello <span class="mention">@alice</span>, a@b.test</p>'],
    ['&lt;kept&gt; &#64; &bogus;', '<p>&lt;kept&gt; &#64; &amp;bogus;</p>'],
  ])('shows %j', (text, markup) => {
    expect(show(text)).toBe(markup);
  });

  it.each([
    ['seen <!-- hidden --> again', '<p>seen  again</p>'],
    ['seen\n<!-- hidden\nfor long -->\nagain', '<p>seen</p>\n<p>again</p>'],
    ['<!-- a --> seen <!-- b -->', '<p>seen </p>'],
    ['seen\n\n<!-- never closed\nhidden', '<p>seen</p>'],
  ])('hides the comments of %j', (text, markup) => {
    expect(show(text)).toBe(markup);
  });

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[click](javascript:alert(1))',
    '[click](data:text/html,x)',
    '[click](//elsewhere.test)',
    '[a](https://x.test/"onmouseover="alert(1))',
    'https://x.test/"onmouseover="alert(1)',
    '```"><script>\nx\n```',
    '[a [b](https://x.test) c](https://y.test)',
    '<a href="javascript:alert(1)">x</a>',
    '&#x3C;script&#x3E;',
    '`<script>`',
    '@alice"><script>',
  ])('keeps %j inert', (text) => {
    const markup = show(text);
    const tags = [...markup.matchAll(/<([^>]*)>/g)].map(([, tag = '']) => tag);
    const known =
      /^\/?(?:p|code|em|strong|br|span|pre|a)$|^(?:span class="mention"|pre data-language="[\w+#-]+"|a href="https?:\/\/[^"<>]*" rel="nofollow noopener noreferrer")$/;
    expect(tags.filter((tag) => !known.test(tag))).toEqual([]);
    expect(markup).not.toMatch(/<a [^>]*>(?:(?!<\/a>).)*<a /);
  });

  it('closes every tag that it opens, whatever it is given', () => {
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
      '@a',
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
    '@a',
    '(((',
    '- a\n\n',
    '```\n',
    '~~~',
    '   - a\n',
  ])('is not stopped by a hundred thousand characters of %j', (piece) => {
    expect(show(piece.repeat(Math.ceil(100_000 / piece.length)))).toBeDefined();
  });
});

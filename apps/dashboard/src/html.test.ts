import { html, render, toWebUrl } from './html.js';

describe('html', () => {
  it.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    [`" onmouseover='x' \``, '&quot; onmouseover=&#39;x&#39; &#96;'],
    ['&lt;', '&amp;lt;'],
    ['safe\u202Eevil\u0000\u001b[2J', 'safeevil[2J'],
    ['half \ud800', 'half \ufffd'],
  ])('escapes %j in text and attributes', (hostile, expected) => {
    expect(render(html`<p title="${hostile}">${hostile}</p>`)).toBe(`<p title="${expected}">${expected}</p>`);
  });

  it('keeps nested templates unescaped and renders missing values as nothing', () => {
    const items = ['a', '<b>'].map((name) => html`<li>${name}</li>`);
    expect(render(html`<ul>${items}</ul>${null}${undefined}${false}${0}`)).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul>0',
    );
  });

  it.each([
    ['https://github.com/o/n/pull/1', 'https://github.com/o/n/pull/1'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['/relative', undefined],
    [null, undefined],
  ])('turns the URL %j into the link %j', (url, expected) => {
    expect(toWebUrl(url)).toBe(expected);
  });
});

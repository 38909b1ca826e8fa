import { parseFragment } from 'parse5';
import { drawWaterfall } from './draw-waterfall.js';
import type { SentRequest } from './sent-request.js';

const MARKS = { begin: 1_000, opened: 1_300, agent: 1_600, posted: 1_900, end: 2_000 };

const aRequest = (facts: Partial<SentRequest> = {}): SentRequest => ({
  method: 'GET',
  path: '/repos/alice/app/issues?page=1',
  via: 'rest',
  status: 200,
  startMs: 1_100,
  endMs: 1_250,
  ...facts,
});

const draw = (...requests: SentRequest[]): string => drawWaterfall({ marks: MARKS, requests }, 'A reply');

/** Lists the names of all elements of the picture. */
function listElements(svg: string): Set<string> {
  return new Set([...svg.matchAll(/<([a-z]+)/g)].map(([, name]) => name ?? ''));
}

describe('the waterfall', () => {
  it('shows the method, the path without its query, and the status of each request', () => {
    const svg = draw(aRequest(), aRequest({ method: 'POST', path: '/app.git/git-upload-pack', via: 'git' }));
    expect(svg).toContain('>GET /repos/alice/app/issues<');
    expect(svg).toContain('>git POST /app.git/git-upload-pack<');
    expect(svg).not.toContain('page=1');
    expect(svg).toContain('>200<');
  });

  it('draws each phase in its own color, and 304 responses in a lighter shade', () => {
    const at = (startMs: number, status = 200) => aRequest({ startMs, endMs: startMs + 50, status });
    const svg = draw(at(1_100), at(1_400), at(1_700), at(1_950), at(1_150, 304));
    const bars = [
      ...svg.matchAll(/<rect x="[\d.]+" y="\d+" width="[\d.]+" height="11" fill="(.{7})"( class="free")?/g),
    ];
    const [poll, begin, post, after, ...drawn] = bars.map(([, color]) => color);
    expect(new Set([poll, begin, post, after]).size).toBe(4);
    expect(drawn).toEqual([poll, begin, post, after, poll]);
    expect(bars.filter(([, , free]) => free !== undefined)).toHaveLength(1);
  });

  it('marks the comment, the start of the agent and the reply', () => {
    const svg = draw(aRequest());
    for (const text of ['comment posted, 0.0 s', 'agent starts, 0.6 s', 'reply posted, 0.9 s'])
      expect(svg).toContain(text);
  });

  it.each([
    ['an element', '/x"></text><script>alert(1)</script>'],
    ['an image', '/<image href=//example.org/>'],
    ['an entity', '/&lt;script&gt;'],
    ['an attribute', `/' onload='alert(1)`],
    ['a control character', '/\u0000\u001b[31m'],
    ['the end of the style', '/</style><a href="x">'],
  ])('escapes a path with %s', (_name, path) => {
    const hostile = draw(aRequest({ path }));
    expect(listElements(hostile)).toEqual(listElements(draw(aRequest())));
    expect(hostile.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    const text = path.replace(/\p{Cc}/gu, '\uFFFD');
    expect(readTexts(hostile)).toContain(`GET ${text}`);
  });

  it('shortens commit ids', () => {
    const svg = draw(aRequest({ path: `/repos/alice/app/commits/${'0123456789'.repeat(4)}/status` }));
    expect(svg).toContain('>GET /repos/alice/app/commits/0123456/status<');
  });

  it('shortens a long path', () => {
    const label = readTexts(draw(aRequest({ path: `/${'long'.repeat(100)}` }))).find((text) =>
      text.startsWith('GET /long'),
    );
    expect(label).toMatch(/^.{57}…$/);
  });

  it('contains no script and loads no other file', () => {
    expect(draw(aRequest())).not.toMatch(/script|href|url\(|@import|\son\w+=/);
  });
});

/** Lists the texts as a browser would show them. */
function readTexts(svg: string): string[] {
  type Branch = { nodeName: string; value?: string; childNodes?: Branch[] };
  const visit = (node: Branch): string[] =>
    node.nodeName === 'text'
      ? (node.childNodes ?? []).map(({ value = '' }) => value)
      : (node.childNodes ?? []).flatMap(visit);
  return visit(parseFragment(svg));
}

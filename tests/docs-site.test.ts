import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { findBrokenLinks } from '../site/src/find-broken-links.js';
import { githubSlug } from '../site/src/github-slug.js';
import { rewriteLinks } from '../site/src/rewrite-links.js';

const paths = new Map([
  ['README.md', 'index.md'],
  ['docs/usage.md', 'usage.md'],
  ['docs/decisions/0001-x.md', 'decisions/0001-x.md'],
  ['packages/git/README.md', 'packages/git.md'],
]);
const filesUrl = 'https://github.example/you/mergexo/blob/main';

describe('rewriteLinks', () => {
  it.each([
    ['README.md', '[u](docs/usage.md#a)', '[u](./usage.md#a)'],
    ['README.md', '![p](docs/images/p.png)', '![p](./images/p.png)'],
    ['docs/usage.md', '[home](../README.md)', '[home](./index.md)'],
    ['docs/usage.md', '![p](images/p.png)', '![p](./images/p.png)'],
    ['docs/usage.md', '[g](../packages/git/README.md)', '[g](./packages/git.md)'],
    ['docs/decisions/0001-x.md', '[u](../usage.md)', '[u](./../usage.md)'],
    ['packages/git/README.md', '[d](../../docs/decisions/0001-x.md)', '[d](./../decisions/0001-x.md)'],
    ['docs/usage.md', '[l](../LICENSE)', `[l](${filesUrl}/LICENSE)`],
    ['docs/usage.md', '[a](#here) [b](https://x.example/y)', '[a](#here) [b](https://x.example/y)'],
    [
      'docs/usage.md',
      '```\n[u](../LICENSE)\n```\n[l](../LICENSE)',
      `\`\`\`\n[u](../LICENSE)\n\`\`\`\n[l](${filesUrl}/LICENSE)`,
    ],
  ])('in %s, rewrites %s to %s', (page, before, after) => {
    expect(rewriteLinks(before, page, { paths, filesUrl })).toBe(after);
  });

  it('replaces a link to a file with its label if the URL of the repository is unknown', () => {
    expect(rewriteLinks('[the `LICENSE`](../LICENSE)', 'docs/usage.md', { paths, filesUrl: undefined })).toBe(
      'the `LICENSE`',
    );
  });
});

describe('githubSlug', () => {
  it.each([
    ['How to add…', 'how-to-add'],
    ['`[limits]`', 'limits'],
    ["Copilot's coding agent and OpenHands", 'copilots-coding-agent-and-openhands'],
    ['GitHub: reads', 'github-reads'],
  ])('turns the heading %s into #%s', (heading, slug) => {
    expect(githubSlug(heading)).toBe(slug);
  });
});

describe('findBrokenLinks', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());
  const write = (name: string, html: string): void => {
    mkdirSync(dirname(join(directory.path, name)), { recursive: true });
    writeFileSync(join(directory.path, name), html);
  };

  it('accepts pages, folders, anchors, images and external links', () => {
    write(
      'index.html',
      '<h1 id="a">A</h1><a href="/usage.html#b"></a><a href="d/"></a><a href="#a"></a><img src="p.png">',
    );
    write(
      'usage.html',
      '<h2 id="b"></h2><a href="https://x.example/gone"></a><a href="/d/x"></a><a href="mailto:a@b.example"></a>',
    );
    write('d/index.html', '<a href="../usage.html#b"></a>');
    write('d/x.html', '');
    write('p.png', '');
    expect(findBrokenLinks(directory.path)).toEqual([]);
  });

  it('reports missing pages, anchors and images', () => {
    write('index.html', '<a href="/gone.html"></a><a href="usage.html#gone"></a><img src="gone.png">');
    write('usage.html', '<h2 id="b"></h2><a href="#c&amp;d"></a>');
    expect(findBrokenLinks(directory.path).sort()).toEqual([
      'index.html: /gone.html',
      'index.html: gone.png',
      'index.html: usage.html#gone',
      'usage.html: #c&d',
    ]);
  });

  it('reports links outside the base URL of the site', () => {
    write('index.html', '<a href="/mergexo/usage.html"></a><a href="/usage.html"></a>');
    write('usage.html', '');
    expect(findBrokenLinks(directory.path, '/mergexo/')).toEqual(['index.html: /usage.html']);
  });
});

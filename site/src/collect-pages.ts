/** Copies the repository's pages to `site/pages`, from which VitePress builds the site. Run by `npm run docs:build`. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rewriteLinks } from './rewrite-links.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PAGES = join(ROOT, 'site/pages');
const repository = process.env['GITHUB_REPOSITORY'];

const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const readmes = ['apps', 'packages'].flatMap((group) =>
  readdirSync(join(ROOT, group)).map((name) => `${group}/${name}/README.md`),
);
const atRoot = [
  'CONTRIBUTING.md',
  'CODE_OF_CONDUCT.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'examples/README.md',
  'packaging/README.md',
];
const paths = new Map([
  ['README.md', 'index.md'],
  ...docs.map((page): [string, string] => [
    page,
    page.replace(/^docs\//, '').replace(/README\.md$/, 'index.md'),
  ]),
  ...[...readmes, ...atRoot].map((page): [string, string] => [page, toSitePath(page)]),
]);
const filesUrl = repository === undefined ? undefined : `https://github.com/${repository}/blob/main`;

rmSync(PAGES, { recursive: true, force: true });
for (const [page, path] of paths) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  mkdirSync(dirname(join(PAGES, path)), { recursive: true });
  writeFileSync(join(PAGES, path), rewriteLinks(text, page, { paths, filesUrl }));
}
cpSync(join(ROOT, 'docs/images'), join(PAGES, 'images'), { recursive: true });

/** Renames SECURITY.md, because file systems that ignore case would confuse it with docs/security.md. */
function toSitePath(page: string): string {
  if (page === 'SECURITY.md') return 'security-policy.md';
  return page
    .replace(/\/README\.md$/, '.md')
    .replaceAll('_', '-')
    .toLowerCase();
}

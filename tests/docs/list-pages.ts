import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Lists every Markdown page for people, relative to the root. The templates in .github have their own test. */
export function listPages(root: string): string[] {
  const list = (folder: string): string[] =>
    readdirSync(join(root, folder), { encoding: 'utf8' }).map((name) => join(folder, name));
  const ofRoot = readdirSync(root).filter((name) => name.endsWith('.md'));
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  const ofFolders = ['examples', ...list('apps'), ...list('packages')].map((folder) => `${folder}/README.md`);
  return [...ofRoot, ...docs, ...ofFolders.filter((path) => existsSync(join(root, path)))];
}

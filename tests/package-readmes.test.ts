import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const FOLDERS = ['packages', 'apps'].flatMap((group) =>
  readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`),
);
const Manifest = z.object({ name: z.string(), dependencies: z.record(z.string(), z.string()).default({}) });
const manifestOf = (folder: string) => Manifest.parse(JSON.parse(read(`${folder}/package.json`)));

/** Lists the folders that depend on the package. tests/architecture.test.ts checks that imports match. */
function listImporters(folder: string): string[] {
  const { name } = manifestOf(folder);
  return FOLDERS.filter((other) => name in manifestOf(other).dependencies).sort();
}

const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** Lists the folders that a README names as importers. */
function readImporters(folder: string, text: string): string[] {
  const [, sentence = ''] = /^\*\*May be imported by\*\* ([\s\S]*?)\n\*\*May import/m.exec(text) ?? [];
  const named = namesIn(sentence).filter((name) => FOLDERS.includes(name));
  if (!sentence.startsWith('every package and app')) return named.sort();
  return FOLDERS.filter((other) => other !== folder && !named.includes(other)).sort();
}

function readImports(text: string): string[] {
  const [, rest = ''] = text.split('\n**May import** ');
  return namesIn(rest.split('\n\n')[0] ?? '');
}

describe.each(FOLDERS)('%s/README.md', (folder) => {
  const path = `${folder}/README.md`;
  const text = existsSync(join(ROOT, path)) ? read(path) : '';

  it('exists, and its title is the name of the package or app', () => {
    const [title = ''] = text.split('\n');
    expect([manifestOf(folder).name, folder]).toContain(title.replace(/^# /, ''));
  });

  it('names the folders that may import the package', () => {
    expect(readImporters(folder, text)).toEqual(listImporters(folder));
  });

  it('names every package that it imports', () => {
    const { dependencies } = manifestOf(folder);
    expect(Object.keys(dependencies).filter((name) => !readImports(text).includes(name))).toEqual([]);
  });
});

describe('the READMEs of packages', () => {
  it('would fail this test with a missing or an extra importer', () => {
    const readme = (importers: string): string =>
      `# x\n\n**May be imported by** ${importers}.\n**May import** \`zod\`.\n`;
    expect(readImporters('packages/git', readme('`apps/worker`'))).toEqual(listImporters('packages/git'));
    expect(readImporters('packages/git', readme('`apps/worker`, `apps/cli`'))).not.toEqual(
      listImporters('packages/git'),
    );
    expect(readImporters('packages/git', readme('nobody'))).not.toEqual(listImporters('packages/git'));
    expect(readImports(readme('nobody'))).toEqual(['zod']);
  });
});

import { chmod, lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, removeTree, removeTrees } from '@mergexo/process';

export type Skeleton = {
  /** The branch that HEAD points to. */
  head: string;
  bare: boolean;
  /** Repositories whose objects this repository borrows. */
  borrowsFrom?: readonly string[];
  refs?: Readonly<Record<string, string>>;
  config?: string;
  /** Entries of an existing repository to keep. */
  keep?: readonly string[];
};

// Files have exactly the bytes of the commits: git converts no line endings, keywords or encodings, and runs no filters
// such as Git LFS. A conversion could make a fresh checkout look changed, and filters are programs.
const ATTRIBUTES =
  '* -text !eol !crlf !ident !filter !working-tree-encoding !diff !merge !conflict-marker-size\n';

/** Writes a git repository without git: a few files and no template. Removes all other files from the directory. */
export async function writeSkeleton(dir: string, skeleton: Skeleton): Promise<void> {
  await makeRealDirectory(dir);
  const keep = new Set(skeleton.keep ?? []);
  const old = (await readdir(dir)).filter((name) => !keep.has(name));
  await removeTrees(old.map((name) => join(dir, name)));
  const folders = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info'];
  await Promise.all(folders.map((name) => mkdir(join(dir, name), { recursive: true, mode: 0o700 })));
  const alternates = (skeleton.borrowsFrom ?? []).map((repo) => `${join(repo, 'objects')}\n`).join('');
  const refs = Object.entries(skeleton.refs ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const files: Record<string, string> = {
    HEAD: `ref: refs/heads/${skeleton.head}\n`,
    config: buildConfig(skeleton),
    'packed-refs': refs.map(([name, sha]) => `${sha} ${name}\n`).join(''),
    'info/attributes': ATTRIBUTES,
    ...(alternates !== '' && { 'objects/info/alternates': alternates }),
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(dir, name), text)));
}

export function buildConfig({ bare, config = '' }: Pick<Skeleton, 'bare' | 'config'>): string {
  // On macOS, the settings are those of `git init`, because the default file system ignores case and decomposes
  // letters.
  const mac = process.platform === 'darwin' ? '\tignorecase = true\n\tprecomposeunicode = true\n' : '';
  return `[core]\n\trepositoryformatversion = 0\n\tbare = ${bare}\n${mac}[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n${config}`;
}

/** Creates the directory. Removes a file or link at that path, and restores missing permissions. */
export async function makeRealDirectory(dir: string): Promise<void> {
  await mkdir(dirname(dir), { recursive: true, mode: 0o700 });
  const found = await lstatOrUndefined(dir);
  if (found !== undefined && !found.isDirectory()) await removeTree(dir);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if (found !== undefined && (found.mode & 0o777) !== 0o700) await chmod(dir, 0o700);
}

export async function lstatOrUndefined(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

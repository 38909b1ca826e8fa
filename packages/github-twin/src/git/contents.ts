import { runGit, runGitRaw } from './run-git.js';

export type TreeEntry = {
  mode: string;
  type: 'blob' | 'tree' | 'commit';
  sha: string;
  size: number;
  path: string;
};
export type Content =
  | { kind: 'directory'; entries: TreeEntry[] }
  | { kind: 'entry'; entry: TreeEntry; bytes: Buffer };

/** What lies at a path of a commit; undefined when nothing does. */
export async function readContent(dir: string, commit: string, path: string): Promise<Content | undefined> {
  if (!isTreePath(path)) return undefined;
  if (path === '') return { kind: 'directory', entries: await listTree(dir, commit, []) };
  const [entry] = await listTree(dir, commit, ['--', path]);
  if (!entry) return undefined;
  if (entry.type === 'tree')
    return { kind: 'directory', entries: await listTree(dir, commit, ['--', `${path}/`]) };
  const bytes =
    entry.type === 'blob' ? await runGitRaw(dir, ['cat-file', 'blob', entry.sha]) : Buffer.alloc(0);
  return { kind: 'entry', entry, bytes };
}

/** Whether a path can lie in a tree at all; git refuses to look for anything else. */
export function isTreePath(path: string): boolean {
  const odd = path.split('/').some((part) => part === '' || part === '.' || part === '..');
  return path === '' || (!odd && !path.includes('\0'));
}

async function listTree(dir: string, commit: string, paths: string[]): Promise<TreeEntry[]> {
  // Full names and literal pathspecs: a file may be called `*` or start with a colon.
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', commit, ...paths];
  return (await runGit(dir, args)).split('\0').filter(Boolean).map(parseEntry);
}

function parseEntry(record: string): TreeEntry {
  const [meta = '', path = ''] = [
    record.slice(0, record.indexOf('\t')),
    record.slice(record.indexOf('\t') + 1),
  ];
  const [mode = '', type = '', sha = '', size = '0'] = meta.split(/ +/);
  return {
    mode,
    type: type === 'tree' || type === 'commit' ? type : 'blob',
    sha,
    size: Number(size) || 0,
    path,
  };
}

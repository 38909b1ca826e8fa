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

/** Reads the file or directory at this path in a commit. Returns undefined if the path does not exist. */
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

/** True if the path can exist in a tree. Git fails on any other path. */
function isTreePath(path: string): boolean {
  const isInvalid = path.split('/').some((part) => part === '' || part === '.' || part === '..');
  return path === '' || (!isInvalid && !path.includes('\0'));
}

async function listTree(dir: string, commit: string, paths: string[]): Promise<TreeEntry[]> {
  // `--literal-pathspecs` is needed because a file may be called `*` or start with a colon.
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '-l', '--full-tree', commit, ...paths];
  return (await runGit(dir, args)).split('\0').filter(Boolean).map(parseEntry);
}

function parseEntry(record: string): TreeEntry {
  const [, mode = '', kind = '', sha = '', size = '', path = ''] =
    /^(\d+) (\w+) (\w+) +(\S+)\t(.*)$/s.exec(record) ?? [];
  const type = kind === 'tree' || kind === 'commit' ? kind : 'blob';
  return { mode, type, sha, size: Number(size) || 0, path };
}

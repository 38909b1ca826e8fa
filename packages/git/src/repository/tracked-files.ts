import { mustRun, type Place, type RunGit } from '../run/run-git.js';

/** Names are bytes, one character each (latin1): git and the file system know no encoding. */
export type TrackedFiles = { entries: ReadonlyMap<string, EntryKind>; folders: ReadonlySet<string> };
type EntryKind = 'file' | 'link' | 'submodule';

type Tree = Place & { sha: string };

export type ListTrackedFiles = (tree: Tree) => Promise<TrackedFiles>;

const REMEMBERED = 4;
const MAX_REMEMBERED_ENTRIES = 50_000;

/** Caches the lists: a commit's files never change, and a turn asks for the same commit several times. */
export function rememberTrackedFiles(run: RunGit): ListTrackedFiles {
  const known = new Map<string, TrackedFiles>();
  return async (tree) => {
    const found = known.get(tree.sha) ?? (await listTrackedFiles(run, tree));
    known.delete(tree.sha);
    if (found.entries.size <= MAX_REMEMBERED_ENTRIES) known.set(tree.sha, found);
    for (const oldest of [...known.keys()].slice(0, -REMEMBERED)) known.delete(oldest);
    return found;
  };
}

async function listTrackedFiles(run: RunGit, { gitDir, sha, signal }: Tree): Promise<TrackedFiles> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', sha];
  const { stdout } = await mustRun(run, { action: `listing the files of ${sha}`, args, gitDir, signal });
  const entries = new Map<string, EntryKind>();
  const folders = new Set<string>();
  for (const record of stdout.toString('latin1').split('\0')) {
    const tab = record.indexOf('\t');
    if (tab < 0) continue;
    const path = record.slice(tab + 1);
    entries.set(path, kindOf(record));
    addFolders(folders, path);
  }
  return { entries, folders };
}

function kindOf(record: string): EntryKind {
  if (record.startsWith('120000')) return 'link';
  return record.startsWith('160000') ? 'submodule' : 'file';
}

function addFolders(folders: Set<string>, path: string): void {
  let end = path.lastIndexOf('/');
  while (end > 0 && !folders.has(path.slice(0, end))) {
    folders.add(path.slice(0, end));
    end = path.lastIndexOf('/', end - 1);
  }
}

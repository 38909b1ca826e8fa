import { mustRun, type Repository } from '../run/run-git.js';

/** Names are bytes, one character each (latin1), because git and the file system do not define an encoding. */
export type TrackedFiles = { entries: ReadonlyMap<string, EntryKind>; folders: ReadonlySet<string> };
type EntryKind = 'file' | 'submodule';

export type ListTrackedFiles = (repository: Repository, sha: string) => Promise<TrackedFiles>;

const REMEMBERED = 4;
const MAX_REMEMBERED_ENTRIES = 50_000;

/** Caches the lists, because a commit's files never change and a turn asks for the same commit several times. */
export function rememberTrackedFiles(): ListTrackedFiles {
  const known = new Map<string, TrackedFiles>();
  return async (repository, sha) => {
    const found = known.get(sha) ?? (await listTrackedFiles(repository, sha));
    known.delete(sha);
    if (found.entries.size <= MAX_REMEMBERED_ENTRIES) known.set(sha, found);
    for (const oldest of [...known.keys()].slice(0, -REMEMBERED)) known.delete(oldest);
    return found;
  };
}

async function listTrackedFiles(repository: Repository, sha: string): Promise<TrackedFiles> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', sha];
  const stdout = await mustRun(repository, { action: `listing the files of ${sha}`, args });
  const entries = new Map<string, EntryKind>();
  const folders = new Set<string>();
  for (const record of stdout.toString('latin1').split('\0')) {
    const tab = record.indexOf('\t');
    if (tab < 0) continue;
    const path = record.slice(tab + 1);
    entries.set(path, record.startsWith('160000') ? 'submodule' : 'file');
    addFolders(folders, path);
  }
  return { entries, folders };
}

function addFolders(folders: Set<string>, path: string): void {
  let end = path.lastIndexOf('/');
  while (end > 0 && !folders.has(path.slice(0, end))) {
    folders.add(path.slice(0, end));
    end = path.lastIndexOf('/', end - 1);
  }
}

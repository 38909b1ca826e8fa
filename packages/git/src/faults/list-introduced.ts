import { mustRun, type Repository } from '../run/run-git.js';

/** Names are bytes, one character each (latin1). `before`: the ids of the file's content in each parent. */
export type Introduced = {
  path: string;
  mode: string;
  id: string;
  before: string[];
  /** True if no parent has the file. */
  isAdded: boolean;
  isDeleted: boolean;
  /** True for a folder, which is listed because an empty one has a name but no files. */
  isFolder: boolean;
};

/** Maximum number of files. A tiny pack can name millions of paths, because equal folders are stored once. */
const MAX_ENTRIES = 50_000;
const ENOUGH_BYTES = 64 * 1024 * 1024;

/** Lists files and folders that differ from every parent. For a merge, these are those that the merge itself changed. */
export async function listIntroduced(
  repository: Repository,
  sha: string,
): Promise<Introduced[] | 'too-many'> {
  const args = ['diff-tree', '-r', '-t', '-c', '-z', '--raw', '--root', '--no-commit-id', ...PLAIN, sha];
  const action = `reading the changes of ${sha}`;
  const stdout = await mustRun(repository, { action, args, enoughBytes: ENOUGH_BYTES });
  if (stdout.length >= ENOUGH_BYTES || countNulls(stdout) > 2 * MAX_ENTRIES) return 'too-many';
  const records = stdout.toString('latin1').split('\0');
  const entries: Introduced[] = [];
  for (let index = 0; index + 1 < records.length; index += 2)
    entries.push(parseRecord(records[index] ?? '', records[index + 1] ?? ''));
  return entries;
}

function countNulls(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) count += 1;
  return count;
}

const PLAIN = ['--no-renames', '--no-abbrev', '--no-ext-diff'];
const NONE = /^0+$/;
const FOLDER_MODE = '040000';

/** A record has the modes of each parent and of the commit, followed by their content ids in the same order. */
function parseRecord(record: string, path: string): Introduced {
  const parents = /^:+/.exec(record)?.[0].length ?? 1;
  const fields = record.slice(parents).split(' ');
  const [mode = '', id = ''] = [fields[parents], fields[2 * parents + 1]];
  const before = fields.slice(parents + 1, 2 * parents + 1);
  return {
    path,
    mode,
    id,
    before,
    isAdded: before.every((old) => NONE.test(old)),
    isDeleted: NONE.test(id),
    isFolder: fields.slice(0, parents + 1).includes(FOLDER_MODE),
  };
}

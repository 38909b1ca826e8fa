import { type Conflict, toConflict } from '../merge/parse-merge.js';
import { readBlobs } from '../repository/read-blobs.js';
import { mustRun, type Repository } from '../run/run-git.js';
import { findConflictBlocks } from './find-conflict-blocks.js';
import { findEscapingLinks, LINK_MODE } from './find-escaping-links.js';

export type Faulty =
  /** Files with unresolved conflicts. The slot's files are unchanged. */
  | { kind: 'unresolved'; files: Conflict[] }
  /** Links that lead out of the repository. */
  | { kind: 'escaping'; files: Conflict[] }
  /** Commits that join a history without a common commit. `path` names the commit. */
  | { kind: 'unrelated'; files: Conflict[] };

/** Finds content of a commit that must never be pushed. Ignores content that one of its parents already has. */
export async function findFaults(repository: Repository, sha: string): Promise<Faulty | undefined> {
  const entries = await listIntroduced(repository, sha);
  const marked = await findMarked(repository, entries);
  if (marked.length > 0) return { kind: 'unresolved', files: marked };
  if (!entries.some(({ mode }) => mode === LINK_MODE)) return undefined;
  const links = await findEscapingLinks(repository, sha);
  return links.length > 0 ? { kind: 'escaping', files: links } : undefined;
}

/** Names are bytes, one character each (latin1). `before`: the ids of the file's content in each parent. */
type Entry = { path: string; mode: string; id: string; before: string[] };

/** Lists files that differ from every parent. For a merge, these are the files that the merge itself changed. */
async function listIntroduced(repository: Repository, sha: string): Promise<Entry[]> {
  const args = ['diff-tree', '-r', '-c', '-z', '--raw', '--root', '--no-commit-id', ...PLAIN, sha];
  const stdout = await mustRun(repository, { action: `reading the changes of ${sha}`, args });
  const records = stdout.toString('latin1').split('\0');
  const entries: Entry[] = [];
  for (let index = 0; index + 1 < records.length; index += 2) {
    const record = records[index] ?? '';
    const parents = /^:+/.exec(record)?.[0].length ?? 1;
    // The record has the modes of each parent and of the commit, followed by their content ids in the same order.
    const fields = record.slice(parents).split(' ');
    const [mode = '', id = ''] = [fields[parents], fields[2 * parents + 1]];
    entries.push({
      path: records[index + 1] ?? '',
      mode,
      id,
      before: fields.slice(parents + 1, 2 * parents + 1),
    });
  }
  return entries;
}

const PLAIN = ['--no-renames', '--no-abbrev', '--no-ext-diff'];
const FILE_MODE = /^100/;

async function findMarked(repository: Repository, entries: readonly Entry[]): Promise<Conflict[]> {
  const files = entries.filter(({ mode }) => FILE_MODE.test(mode));
  const blocksOf = await readBlocks(
    repository,
    files.map(({ id }) => id),
  );
  const suspects = files.filter(({ id }) => blocksOf(id).length > 0);
  if (suspects.length === 0) return [];
  // Allows blocks from earlier versions: a document about merges may contain such lines, even after a move or an edit.
  const earlier = await readBlocks(
    repository,
    entries.flatMap(({ before }) => before),
  );
  const known = new Set(entries.flatMap(({ before }) => before.flatMap(earlier)));
  return suspects
    .filter(({ id, before }) => {
      const blocks = blocksOf(id);
      const most = Math.max(0, ...before.map((old) => earlier(old).length));
      return blocks.length > most && blocks.some((block) => !known.has(block));
    })
    .map(({ path }) => toConflict({ path, reason: 'it still has conflict markers' }));
}

// Git treats a file as binary if one of these first bytes is zero.
const BINARY_BYTES = 8_000;

async function readBlocks(
  repository: Repository,
  ids: readonly string[],
): Promise<(id: string) => readonly string[]> {
  const blocks = new Map<string, readonly string[]>();
  await readBlobs(repository, ids, (id, content) => {
    if (content.subarray(0, BINARY_BYTES).includes(0)) return;
    const found = findConflictBlocks(content.toString('latin1'));
    if (found.length > 0) blocks.set(id, found);
  });
  return (id) => blocks.get(id) ?? [];
}

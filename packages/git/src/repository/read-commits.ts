import { mustRun, type Repository } from '../run/run-git.js';
import { excludeKnown, type Range } from './bundle.js';
import { findMergeBase } from './lineage.js';

export type ChangedFile = { path: string; status: 'added' | 'modified' | 'deleted' | 'type-changed' };

/** Lists the commits of the range, oldest first. */
export async function listCommits(repository: Repository, range: Range): Promise<string[]> {
  const { startSha, sha } = range;
  const args = ['rev-list', '--reverse', '--topo-order', sha, ...excludeKnown(range)];
  const stdout = await mustRun(repository, { action: `listing ${startSha}..${sha}`, args });
  return stdout.toString().split('\n').filter(Boolean);
}

/** Compares two trees. A moved file counts as one deleted and one added. Bytes that are not UTF-8 become U+FFFD. */
export async function listChangedFiles(
  repository: Repository,
  { startSha, sha }: Range,
): Promise<ChangedFile[]> {
  const changes = await diffTrees(repository, [startSha, sha]);
  return [...changes].map(([path, letter]) => ({
    path: Buffer.from(path, 'latin1').toString(),
    status: STATUS[letter] ?? 'modified',
  }));
}

/** Maps paths (bytes, one character each) to git's status letters. */
export async function diffTrees(
  repository: Repository,
  trees: readonly [older: string, newer: string],
): Promise<ReadonlyMap<string, string>> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--name-status', ...trees];
  const stdout = await mustRun(repository, { action: `comparing ${trees.join(' with ')}`, args });
  const fields = stdout.toString('latin1').split('\0');
  const files = new Map<string, string>();
  for (let index = 0; index + 1 < fields.length; index += 2)
    files.set(fields[index + 1] ?? '', fields[index] ?? '');
  return files;
}

export type CompareRequest = {
  base: string;
  head: string;
  /** Maximum length of the list; the rest is cut. */
  maxFiles: number;
};

/** Lists files that the head changed since it diverged from the base, as a pull request does. */
export async function compareCommits(
  repository: Repository,
  { base, head, maxFiles }: CompareRequest,
): Promise<ChangedFile[]> {
  const mergeBase = await findMergeBase(repository, { older: base, newer: head });
  const files = await listChangedFiles(repository, { startSha: mergeBase ?? base, sha: head });
  return files.slice(0, maxFiles);
}

const STATUS: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  D: 'deleted',
  T: 'type-changed',
};

export type DiffRequest = {
  base: string;
  head: string;
  /** Limits the diff to one file. A renamed file counts as deleted. */
  path?: string;
  /** The maximum size. The text ends at the last line that fits. */
  maxBytes: number;
};

/** GitHub's format: detects renames, shows three lines around each change, and ignores attributes. */
const OPTIONS = [
  '--patch',
  '--find-renames',
  '--unified=3',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
];

/** Returns the lines that the head changed since it diverged from the base. Bytes that are not UTF-8 become U+FFFD. */
export async function diffCommits(
  repository: Repository,
  { base, head, path, maxBytes }: DiffRequest,
): Promise<string> {
  const mergeBase = await findMergeBase(repository, { older: base, newer: head });
  const stdout = await mustRun(repository, {
    action: `comparing ${base} with ${head}`,
    args: [
      '--literal-pathspecs',
      'diff-tree',
      ...OPTIONS,
      mergeBase ?? base,
      head,
      ...(path === undefined ? [] : ['--', path]),
    ],
    // One extra byte distinguishes a diff that was cut from one that fits exactly.
    enoughBytes: maxBytes + 1,
  });
  const end = stdout.length <= maxBytes ? stdout.length : stdout.subarray(0, maxBytes).lastIndexOf('\n') + 1;
  return stdout.subarray(0, end).toString();
}

export type CommittedFile = { sha: string; path: string; maxBytes: number };

/** Reads a file from a commit, not from the slot; undefined if the path is missing, not a file, or too large. */
export async function readCommitted(
  repository: Repository,
  { sha, path, maxBytes }: CommittedFile,
): Promise<Buffer | undefined> {
  // Git fails on an empty path, and on dots that point outside the repository.
  if (path === '' || /\p{Cc}|(?:^|\/)\.{0,2}(?:\/|$)/u.test(path)) return undefined;
  const action = `reading ${path} of ${sha}`;
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--long', '--full-tree', sha, '--', path];
  const listed = await mustRun(repository, { action, args });
  // A symbolic link has another mode, and its content is the path of its target.
  const [, id, size, name] = /^100\d{3} blob ([0-9a-f]{40,64}) +(\d+)\t(.*)\0$/.exec(listed.toString()) ?? [];
  if (id === undefined || name !== path || Number(size) > maxBytes) return undefined;
  return mustRun(repository, { action, args: ['cat-file', 'blob', id] });
}

import type { FindSecrets, FoundSecret } from '@mergexo/core/text';
import { type Conflict, toConflict } from '../merge/parse-merge.js';
import type { Limits } from '../repository/git-tools.js';
import { readBlobs } from '../repository/read-blobs.js';
import type { Repository } from '../run/run-git.js';
import { findConflictBlocks } from './find-conflict-blocks.js';
import { findEscapingLinks } from './find-escaping-links.js';
import { type Introduced, listIntroduced } from './list-introduced.js';
import { hasTooManyFiles } from './measure-tree.js';

export type Faulty =
  /** Files with unresolved conflicts. The slot's files are unchanged. */
  | { kind: 'unresolved'; files: Conflict[] }
  /** Links that point outside the repository. */
  | { kind: 'escaping'; files: Conflict[] }
  /** Commits that join a history without a common commit. `path` names the commit. */
  | { kind: 'unrelated'; files: Conflict[] }
  /** Files whose content or name contains a secret. */
  | { kind: 'secret'; files: Conflict[] };

export type TooLarge = { kind: 'too-large'; bytes: number };

/** Maximum size of a changed file. Searching a larger one takes too long, and GitHub refuses files above 100 MB. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** `slotBytes` also limits the files that one commit changes, because a small pack can contain huge files. */
type Limited = Repository & { limits: Pick<Limits, 'slotBytes' | 'slotFiles'> };

/** Finds content of a commit that must never be pushed. Ignores content that one of its parents already has. */
export async function findFaults(
  repository: Limited,
  sha: string,
  findSecrets: FindSecrets = () => [],
): Promise<Faulty | TooLarge | undefined> {
  const introduced = await listIntroduced(repository, sha);
  if (introduced === 'too-many' || (await hasTooManyFiles(repository, sha)))
    return { kind: 'too-large', bytes: repository.limits.slotBytes };
  const entries = introduced.filter(({ isFolder }) => !isFolder);
  const folders = introduced.filter(({ isFolder }) => isFolder);
  const ids = entries.map(({ id }) => id);
  const after = await readContents(repository, ids, findSecrets);
  if (after.isTooLarge) return { kind: 'too-large', bytes: after.totalBytes };
  const before = rememberEarlier(repository, entries, findSecrets);
  const leaking = await findLeaks({ entries, folders, after, before, findSecrets });
  if (leaking.length > 0) return { kind: 'secret', files: leaking };
  const marked = await findMarked({ entries, after, before });
  if (marked.length > 0) return { kind: 'unresolved', files: marked };
  // Runs even if the commit changes no link: a new directory in place of a link can redirect other links.
  const links = await findEscapingLinks(repository, sha);
  return links.length > 0 ? { kind: 'escaping', files: links } : undefined;
}

/** `after` and `before`: the content of the changed files in the commit, and in its parents. */
type Change = { entries: readonly Introduced[]; after: Contents; before: () => Promise<Contents> };

/** Reads earlier versions at most once, and only for a commit with suspicious content. */
function rememberEarlier(
  repository: Limited,
  entries: readonly Introduced[],
  findSecrets: FindSecrets,
): Change['before'] {
  let contents: Promise<Contents> | undefined;
  return () => {
    const ids = entries.flatMap(({ before }) => before);
    contents ??= readContents(repository, ids, findSecrets);
    return contents;
  };
}

/** Finds new secrets. Allows those in earlier versions of the changed files, even after a move. */
async function findLeaks(
  change: Change & { folders: readonly Introduced[]; findSecrets: FindSecrets },
): Promise<Conflict[]> {
  const { entries, folders, after, before, findSecrets } = change;
  const inName = ({ path }: Introduced) => findSecrets(Buffer.from(path, 'latin1'));
  const suspects = [...entries, ...folders]
    .filter(({ isDeleted }) => !isDeleted)
    .map((entry) => ({ entry, secrets: [...after.secretsOf(entry.id), ...inName(entry)] }))
    .filter(({ secrets }) => secrets.length > 0);
  if (suspects.length === 0) return [];
  const earlier = await before();
  const known = new Set(
    entries
      .filter(({ isAdded }) => !isAdded)
      .flatMap((entry) => [...entry.before.flatMap((id) => earlier.secretsOf(id)), ...inName(entry)])
      .map(({ id }) => id),
  );
  return suspects.flatMap(({ entry: { path }, secrets }) => {
    const added = secrets.find(({ id }) => !known.has(id));
    return added === undefined ? [] : [toConflict({ path, reason: `it contains ${added.what}` })];
  });
}

const FILE_MODE = /^100/;

async function findMarked({ entries, after, before }: Change): Promise<Conflict[]> {
  const suspects = entries.filter(({ mode, id }) => FILE_MODE.test(mode) && after.blocksOf(id).length > 0);
  if (suspects.length === 0) return [];
  // Allows blocks from earlier versions: a document about merges may contain such lines, even after a move or an edit.
  const earlier = await before();
  const known = new Set(entries.flatMap((entry) => entry.before.flatMap(earlier.blocksOf)));
  return suspects
    .filter((entry) => {
      const blocks = after.blocksOf(entry.id);
      const most = Math.max(0, ...entry.before.map((old) => earlier.blocksOf(old).length));
      return blocks.length > most && blocks.some((block) => !known.has(block));
    })
    .map(({ path }) => toConflict({ path, reason: 'it still has conflict markers' }));
}

type Contents = {
  totalBytes: number;
  /** True if nothing was read, because the files are too large. */
  isTooLarge: boolean;
  blocksOf: (id: string) => readonly string[];
  secretsOf: (id: string) => readonly FoundSecret[];
};

// Git treats a file as binary if one of these first bytes is zero.
const BINARY_BYTES = 8_000;

async function readContents(
  repository: Limited,
  ids: readonly string[],
  findSecrets: FindSecrets,
): Promise<Contents> {
  const blocks = new Map<string, readonly string[]>();
  const secrets = new Map<string, readonly FoundSecret[]>();
  const { slotBytes: maxBytes } = repository.limits;
  const request = { ids, maxBytes, maxBlobBytes: MAX_FILE_BYTES };
  const { totalBytes, largestBytes } = await readBlobs(repository, request, async (id, content) => {
    secrets.set(id, await searchInPieces(content, findSecrets));
    if (!content.subarray(0, BINARY_BYTES).includes(0))
      blocks.set(id, findConflictBlocks(content.toString('latin1')));
  });
  return {
    totalBytes,
    isTooLarge: totalBytes > maxBytes || largestBytes > MAX_FILE_BYTES,
    blocksOf: (id) => blocks.get(id) ?? [],
    secretsOf: (id) => secrets.get(id) ?? [],
  };
}

const PIECE_BYTES = 1024 * 1024;
/** Longer than any secret, so that no secret is lost between two pieces. */
const OVERLAP_BYTES = 64 * 1024;

/** Searches a large file piece by piece, so that the worker can send heartbeats in between. */
async function searchInPieces(content: Buffer, findSecrets: FindSecrets): Promise<FoundSecret[]> {
  const found: FoundSecret[] = [];
  for (let at = 0; at === 0 || at + OVERLAP_BYTES < content.length; at += PIECE_BYTES) {
    if (at > 0) await new Promise(setImmediate);
    found.push(...findSecrets(content.subarray(at, at + PIECE_BYTES + OVERLAP_BYTES)));
  }
  return found;
}

import type { FindSecrets } from '@mergexo/core/text';
import { type Faulty, findFaults, type TooLarge } from '../faults/find-faults.js';
import { findMergeBase } from '../repository/lineage.js';
import type { Invalid } from '../run/refuse.js';
import { mustRun } from '../run/run-git.js';
import { copyWithTrailers, makeCommit, type Tip } from './make-commit.js';
import { runStaged, type Staging, toText } from './staging.js';

export type Adopted = {
  kind: 'adopted';
  /** The parents of the next commit. */
  parents: string[];
  /** The fault in the agent's last commit. A commit with a fault is not among the parents. */
  fault: Faulty | TooLarge | undefined;
};

type AdoptRequest = {
  startSha: string;
  head: string;
  cleanMessage?: (text: string) => string;
  findSecrets?: FindSecrets;
  /** The trailer of every rewritten commit, which names the agent. */
  credit?: string;
  mergeParent?: string;
};

/** Maximum number of commits in a turn: more than anyone would review. */
const MAX_COMMITS = 500;
/** Maximum size of a commit object. A small pack can contain a huge object. */
const MAX_COMMIT_BYTES = 10 * 1024 * 1024;
/** Maximum size of a message. MergeXO drops the rest, because cleaning takes time. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/**
 * Rewrites the agent's commits with our author and a cleaned message. The originals were never pushed, so no public
 * history changes. Omits a commit with content that must not be pushed; the next commit replaces it. Keeps commits that
 * are already on the remote.
 */
export async function adoptCommits(
  staging: Staging,
  request: AdoptRequest,
): Promise<Adopted | Faulty | Invalid> {
  const { head, cleanMessage = (text) => text, findSecrets, credit } = request;
  const trailers = credit === undefined ? [] : [credit];
  const own = await listOwn(staging, request);
  if (own.length > MAX_COMMITS)
    return { kind: 'invalid', reason: `the agent made more than ${MAX_COMMITS} commits` };
  const oversized = await findOversized(staging, own);
  if (oversized !== undefined) return oversized;
  const standIn = new Map<string, string[]>();
  let fault: Adopted['fault'];
  for (const { sha, parents: originals } of own) {
    if (!(await isRelated(staging, originals))) return refuseUnrelated(sha);
    const parents = [...new Set(originals.flatMap((parent) => standIn.get(parent) ?? [parent]))];
    const original = await readCommit(staging, sha);
    if (original.kind === 'invalid') return original;
    const { tree, message } = original;
    const made = await makeCommit(staging, { parents, tree, message: cleanMessage(message), trailers });
    if (made.kind === 'invalid') return made;
    fault = await findFaults(staging, made.sha, findSecrets);
    standIn.set(sha, fault === undefined ? [made.sha] : parents);
  }
  return { kind: 'adopted', parents: standIn.get(head) ?? [head], fault };
}

type Last = { head: string; adopted: Adopted; message: string; trailers: readonly string[] };

/**
 * Adds our trailers to the last commit in the slot. If that commit is already on the remote, adds an empty commit after
 * it instead, because a copy would be a new commit in its author's name.
 */
export async function markLast(
  staging: Staging,
  { head, adopted: { parents, fault }, message, trailers }: Last,
): Promise<Tip | Faulty | TooLarge | Invalid> {
  if (fault !== undefined) return fault;
  const [sha = ''] = parents;
  if (sha !== head) return copyWithTrailers(staging, sha, trailers);
  return makeCommit(staging, { parents, tree: `${head}^{tree}`, message, trailers });
}

type Own = { sha: string; parents: string[] };

/** Lists the agent's commits, oldest first, without commits that are on a branch or tag of the remote. */
export async function listOwn(
  staging: Staging,
  { startSha, head, mergeParent }: Pick<AdoptRequest, 'startSha' | 'head' | 'mergeParent'>,
): Promise<Own[]> {
  const action = `listing ${startSha}..${head}`;
  const mirror = { ...staging, gitDir: staging.tree.mirror };
  // A commit that only the mirror still has, such as one removed from the remote, counts as the agent's own.
  const published = await mustRun(mirror, { action, args: ['for-each-ref', '--format=^%(objectname)'] });
  const known = [startSha, ...(mergeParent === undefined ? [] : [mergeParent])].map((sha) => `^${sha}\n`);
  const input = Buffer.from(`${head}\n${known.join('')}${published.toString()}`);
  const args = ['rev-list', '--parents', '--reverse', '--topo-order', '--ignore-missing', '--stdin'];
  const listed = await mustRun(staging, { action, args, input });
  return listed
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
    .map(([sha = '', ...parents]) => ({ sha, parents }));
}

/** Finds a commit that is too large to read. */
async function findOversized(staging: Staging, own: readonly Own[]): Promise<Invalid | undefined> {
  if (own.length === 0) return undefined;
  const input = Buffer.from(own.map(({ sha }) => `${sha}\n`).join(''));
  const measured = await runStaged(staging, { args: ['cat-file', '--batch-check'], input });
  if (measured.kind === 'invalid') return measured;
  for (const line of toText(measured).split('\n')) {
    const [sha = '', , size] = line.split(' ');
    if (Number(size) > MAX_COMMIT_BYTES)
      return {
        kind: 'invalid',
        reason: `commit ${sha.slice(0, 12)} is larger than 10 MiB without its files`,
      };
  }
  return undefined;
}

async function isRelated(staging: Staging, [first, ...others]: readonly string[]): Promise<boolean> {
  // A root commit is harmless by itself. Only a merge that joins it to the branch is rejected.
  if (first === undefined) return true;
  for (const other of others)
    if ((await findMergeBase(staging, { older: first, newer: other })) === null) return false;
  return true;
}

function refuseUnrelated(sha: string): Faulty {
  const reason = 'it merges a history that has no commit in common with the branch';
  return { kind: 'unrelated', files: [{ path: `commit ${sha.slice(0, 12)}`, reason }] };
}

type Commit = { kind: 'commit'; tree: string; message: string };

async function readCommit(staging: Staging, sha: string): Promise<Commit | Invalid> {
  const read = await runStaged(staging, { args: ['cat-file', 'commit', sha] });
  if (read.kind === 'invalid') return read;
  const { stdout } = read;
  const headerEnd = stdout.indexOf('\n\n');
  const headers = stdout.subarray(0, Math.max(headerEnd, 0)).toString('latin1');
  const id = /^tree ([0-9a-f]{40})$/m.exec(headers)?.[1];
  if (id === undefined || !/^author /m.test(headers))
    return { kind: 'invalid', reason: `${sha} is not a commit with a tree, an author and a message` };
  const message = stdout.subarray(headerEnd + 2).subarray(0, MAX_MESSAGE_BYTES);
  return { kind: 'commit', tree: id, message: decode(message, headers) };
}

function decode(message: Buffer, headers: string): string {
  const encoding = /^encoding (.+)$/m.exec(headers)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(encoding).decode(message);
  } catch {
    return message.toString('latin1');
  }
}

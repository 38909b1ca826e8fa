import { findMergeBase } from '../repository/lineage.js';
import type { Invalid } from '../run/refuse.js';
import { mustRun } from '../run/run-git.js';
import { type Faulty, findFaults } from './find-faults.js';
import { copyWithTrailers, makeCommit, type Tip } from './make-commit.js';
import { runStaged, type Staging } from './staging.js';

export type Adopted = {
  kind: 'adopted';
  /** The parents of the next commit. */
  parents: string[];
  /** The fault in the agent's last commit. A commit with a fault is not among the parents. */
  fault: Faulty | undefined;
};

type AdoptRequest = { startSha: string; head: string; cleanMessage?: (text: string) => string };

/** Maximum number of commits in a turn: more than anyone would review. */
const MAX_COMMITS = 500;

/**
 * Rewrites the agent's commits with our author and a cleaned message. The originals were never pushed, so no public
 * history changes. Omits a commit with content that must not be pushed; the next commit replaces it. Keeps commits that
 * are already on the remote.
 */
export async function adoptCommits(
  staging: Staging,
  { startSha, head, cleanMessage = (text) => text }: AdoptRequest,
): Promise<Adopted | Faulty | Invalid> {
  const own = await listOwn(staging, startSha, head);
  if (own.length > MAX_COMMITS)
    return { kind: 'invalid', reason: `the agent made more than ${MAX_COMMITS} commits` };
  const standIn = new Map<string, string[]>();
  let fault: Faulty | undefined;
  for (const { sha, parents: originals } of own) {
    if (!(await isRelated(staging, originals))) return refuseUnrelated(sha);
    const parents = [...new Set(originals.flatMap((parent) => standIn.get(parent) ?? [parent]))];
    const original = await readCommit(staging, sha);
    if (original.kind === 'invalid') return original;
    const { tree, message } = original;
    const made = await makeCommit(staging, { parents, tree, message: cleanMessage(message), trailers: [] });
    if (made.kind === 'invalid') return made;
    fault = await findFaults(staging, made.sha);
    standIn.set(sha, fault === undefined ? [made.sha] : parents);
  }
  return { kind: 'adopted', parents: standIn.get(head) ?? [head], fault };
}

/** Adds our trailers to the agent's last commit. */
export async function markLast(
  staging: Staging,
  { parents: [sha = ''], fault }: Adopted,
  trailers: readonly string[],
): Promise<Tip | Faulty | Invalid> {
  return fault ?? copyWithTrailers(staging, sha, trailers);
}

type Own = { sha: string; parents: string[] };

/** Lists the agent's commits, oldest first, without commits that are on any branch of the remote. */
async function listOwn(staging: Staging, startSha: string, head: string): Promise<Own[]> {
  const action = `listing ${startSha}..${head}`;
  const args = ['rev-list', '--parents', '--reverse', '--topo-order', head, `^${startSha}`];
  const listed = await mustRun(staging, { action, args });
  const commits = listed.toString().split('\n').filter(Boolean);
  if (commits.length === 0) return [];
  const input = Buffer.from(commits.map((line) => `${line.slice(0, 40)}\n`).join(''));
  const look = ['cat-file', '--batch-check=%(objecttype)'];
  const mirror = { ...staging, gitDir: staging.tree.mirror };
  const found = (await mustRun(mirror, { action, args: look, input })).toString().split('\n');
  return commits
    .filter((_line, index) => found[index] !== 'commit')
    .map((line) => line.split(' '))
    .map(([sha = '', ...parents]) => ({ sha, parents }));
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
  return { kind: 'commit', tree: id, message: decode(stdout.subarray(headerEnd + 2), headers) };
}

function decode(message: Buffer, headers: string): string {
  const encoding = /^encoding (.+)$/m.exec(headers)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(encoding).decode(message);
  } catch {
    return message.toString('latin1');
  }
}

import { findMergeBase } from '../repository/lineage.js';
import type { Invalid } from '../run/refuse.js';
import { mustRun } from '../run/run-git.js';
import { type Faulty, findFaults } from './find-faults.js';
import { makeCommit, markCommit, type Tip } from './make-commit.js';
import { runStaged, type Staging } from './staging.js';

export type Adopted = {
  kind: 'adopted';
  /** The parents of the next commit. */
  parents: string[];
  /** The fault of the agent's last commit, which for that reason is not among the parents. */
  fault: Faulty | undefined;
};

type AdoptRequest = { startSha: string; head: string; cleanMessage?: (text: string) => string };

/** More commits than anyone reviews. */
const MAX_COMMITS = 500;

/**
 * Rewrites the agent's commits with our author and a cleaned message. The originals were never pushed, so no public
 * history changes. A commit with content that must not be pushed is left out, and the next one takes its place. Commits
 * that the remote has stay as they are.
 */
export async function adoptCommits(
  staging: Staging,
  { startSha, head, cleanMessage = (text) => text }: AdoptRequest,
): Promise<Adopted | Faulty | Invalid> {
  const { run, gitDir, signal } = staging;
  const own = await listOwn(staging, startSha, head);
  if (own.length > MAX_COMMITS) return { kind: 'invalid', reason: `more than ${MAX_COMMITS} commits` };
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
    fault = await findFaults(run, { gitDir, signal }, made.sha);
    standIn.set(sha, fault === undefined ? [made.sha] : parents);
  }
  return { kind: 'adopted', parents: standIn.get(head) ?? [head], fault };
}

/** The agent's last commit with our trailers. */
export async function markLast(
  staging: Staging,
  { parents: [sha = ''], fault }: Adopted,
  trailers: readonly string[],
): Promise<Tip | Faulty | Invalid> {
  return fault ?? markCommit(staging, sha, trailers);
}

type Own = { sha: string; parents: string[] };

/** Oldest first, without commits that are on any branch of the remote. */
async function listOwn(staging: Staging, startSha: string, head: string): Promise<Own[]> {
  const { run, gitDir, tree, signal } = staging;
  const action = `listing ${startSha}..${head}`;
  const args = ['rev-list', '--parents', '--reverse', '--topo-order', head, `^${startSha}`];
  const { stdout } = await mustRun(run, { action, args, gitDir, signal });
  const commits = stdout.toString().split('\n').filter(Boolean);
  if (commits.length === 0) return [];
  const input = Buffer.from(commits.map((line) => `${line.slice(0, 40)}\n`).join(''));
  const look = ['cat-file', '--batch-check=%(objecttype)'];
  const found = await mustRun(run, { action, args: look, gitDir: tree.mirror, input, signal });
  const isKnown = found.stdout
    .toString()
    .split('\n')
    .map((line) => line === 'commit');
  return commits
    .filter((_line, index) => !isKnown[index])
    .map((line) => line.split(' '))
    .map(([sha = '', ...parents]) => ({ sha, parents }));
}

async function isRelated(staging: Staging, [first, ...others]: readonly string[]): Promise<boolean> {
  const { run, gitDir, signal } = staging;
  // A root commit alone is harmless; the merge that joins it is not.
  if (first === undefined) return true;
  for (const other of others)
    if ((await findMergeBase(run, { gitDir, older: first, newer: other, signal })) === null) return false;
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
  const border = stdout.indexOf('\n\n');
  const headers = stdout.subarray(0, Math.max(border, 0)).toString('latin1');
  const id = /^tree ([0-9a-f]{40})$/m.exec(headers)?.[1];
  if (id === undefined || !/^author /m.test(headers))
    return { kind: 'invalid', reason: `${sha} is no commit with a tree, an author and a message` };
  return { kind: 'commit', tree: id, message: decode(stdout.subarray(border + 2), headers) };
}

function decode(message: Buffer, headers: string): string {
  const encoding = /^encoding (.+)$/m.exec(headers)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(encoding).decode(message);
  } catch {
    return message.toString('latin1');
  }
}

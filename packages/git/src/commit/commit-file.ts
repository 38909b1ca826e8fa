import { join } from 'node:path';
import { splitPath } from '../files/read-inside.js';
import { type Invalid, refuse } from '../run/refuse.js';
import { buildAndDeliver, type Collected, type CollectRequest } from './collect.js';
import type { Staging } from './gather-leftovers.js';
import { makeCommit, type Tip } from './make-commit.js';

export type CommitFileRequest = Omit<CollectRequest, 'mergeParent'> & {
  path: string;
  content: string | Buffer;
};

/**
 * One commit on the start that changes this one file, made without a look at the slot: neither the agent's edits nor its
 * commits are part of it.
 */
export function commitFile(staging: Staging, request: CommitFileRequest): Promise<Collected> {
  return buildAndDeliver(staging, request, () => buildTip(staging, request));
}

async function buildTip(staging: Staging, request: CommitFileRequest): Promise<Tip | Invalid> {
  const { startSha, path, content, message, trailer } = request;
  if (splitPath(path) === undefined)
    return { kind: 'invalid', reason: 'the path leads out of the repository' };
  const read = await ask(staging, ['read-tree', startSha]);
  if (read.kind === 'invalid') return read;
  const blob = await ask(staging, ['hash-object', '-w', '--stdin'], Buffer.from(content));
  if (blob.kind === 'invalid') return blob;
  // Refused by git itself: names of its own directory, and a path through a file or a link of the tree.
  const entry = `100644,${blob.text},${path}`;
  const put = await ask(staging, ['update-index', '--add', '--cacheinfo', entry]);
  if (put.kind === 'invalid') return put;
  const before = await ask(staging, ['rev-parse', '--verify', `${startSha}^{tree}`]);
  const tree = await ask(staging, ['write-tree']);
  if (before.kind === 'invalid') return before;
  if (tree.kind === 'invalid') return tree;
  if (tree.text === before.text) return { kind: 'tip', sha: startSha };
  return makeCommit(staging, { parents: [startSha], tree: tree.text, message, trailers: [trailer] });
}

type Said = { kind: 'said'; text: string };

async function ask(staging: Staging, args: string[], input?: Buffer): Promise<Said | Invalid> {
  const { door, gitDir, tree, signal } = staging;
  const action = `committing one file of ${tree.label}`;
  const indexFile = join(gitDir, 'index');
  const ran = await door.run({
    action,
    args,
    gitDir,
    indexFile,
    signal,
    ...(input !== undefined && { input }),
  });
  return ran.code === 0 ? { kind: 'said', text: ran.stdout.toString().trim() } : refuse(action, ran);
}

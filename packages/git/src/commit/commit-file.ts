import { splitPath } from '../files/read-inside.js';
import type { Invalid } from '../run/refuse.js';
import { type CollectRequest, listTrailers } from './collect.js';
import { buildAndDeliver, type Collected } from './deliver.js';
import { makeCommit, type Tip } from './make-commit.js';
import { editTree, runStaged, type Staging, toText } from './staging.js';

export type CommitFileRequest = Omit<CollectRequest, 'mergeParent'> & {
  path: string;
  content: string | Buffer;
};

/** Makes one commit that changes only this file. Ignores the agent's edits and commits. */
export function commitFile(staging: Staging, request: CommitFileRequest): Promise<Collected> {
  return buildAndDeliver(staging, request, () => buildTip(staging, request));
}

async function buildTip(staging: Staging, request: CommitFileRequest): Promise<Tip | Invalid> {
  const { startSha, path, content, message } = request;
  if (splitPath(path) === undefined)
    return { kind: 'invalid', reason: 'the path leads outside the repository' };
  const blob = await runStaged(staging, {
    args: ['hash-object', '-w', '--stdin'],
    input: Buffer.from(content),
  });
  if (blob.kind === 'invalid') return blob;
  // Git itself rejects names such as .git, and paths that lead through a file or link of the tree.
  const entry = `100644,${toText(blob)},${path}`;
  const edited = await editTree(staging, startSha, { args: ['update-index', '--add', '--cacheinfo', entry] });
  if (edited.kind === 'invalid') return edited;
  const before = await runStaged(staging, { args: ['rev-parse', '--verify', `${startSha}^{tree}`] });
  if (before.kind === 'invalid') return before;
  if (edited.tree === toText(before)) return { kind: 'tip', sha: startSha };
  return makeCommit(staging, {
    parents: [startSha],
    tree: edited.tree,
    message,
    trailers: listTrailers(request),
  });
}

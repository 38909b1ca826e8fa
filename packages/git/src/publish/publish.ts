import { Failure } from '@mergexo/core/basics';
import { removeTree } from '@mergexo/process';
import { leaseNumber } from '../base-dir/claim.js';
import type { Layout } from '../base-dir/layout.js';
import type { Mirror, ReadHead } from '../mirror/mirror.js';
import { importBundle, listPrerequisites } from '../repository/bundle.js';
import type { GitTools } from '../repository/git-tools.js';
import { hasCommit, isAncestorIn, isOnSomeBranch } from '../repository/lineage.js';
import { writeSkeleton } from '../repository/write-skeleton.js';
import { checkOurBranch, checkSha } from '../run/check-names.js';
import { createFailure, excerpt, toFileFailure } from '../run/to-failure.js';
import { type PushResult, parsePushOutput } from './parse-push-output.js';

export type PublishRequest = {
  branch: string;
  startSha: string;
  sha: string;
  bundle: Buffer;
  /**
   * True if the branch existed when the commits were made. If the branch has been deleted since, MergeXO does
   * not recreate it.
   */
  continues?: boolean;
  signal?: AbortSignal | undefined;
};

export type Published =
  | { kind: 'pushed' }
  /**
   * The branch moved or was deleted (null), or the remote no longer has the base commit that was merged into the
   * branch. Nothing was pushed.
   */
  | { kind: 'superseded'; remoteHead: string | null }
  /** A rule on the remote forbids the push. */
  | { kind: 'refused'; reason: string }
  /** A network or access error. The commits may have been pushed; a second call finds out. */
  | { kind: 'failed'; reason: string };

type PublishTools = GitTools & { layout: Layout; mirror: Mirror };

type Decision =
  | { kind: 'push'; expected: string | null }
  | Exclude<Published, { kind: 'refused' | 'failed' }>;

/** Pushes the frozen commits as a fast-forward of exactly the head they were made on. A second call changes nothing. */
export async function publish(tools: PublishTools, request: PublishRequest): Promise<Published> {
  checkOurBranch(request.branch);
  checkSha(request.startSha);
  checkSha(request.sha);
  try {
    return await compareAndPush(tools, request);
  } catch (error) {
    const failure = toFileFailure(`publishing ${request.branch}`, error);
    // Broken data stays broken, but every other failure can be retried with the same plan.
    if (!(failure instanceof Failure) || failure.kind === 'invalid-data') throw failure;
    return { kind: 'failed', reason: failure.message };
  }
}

async function compareAndPush(tools: PublishTools, request: PublishRequest): Promise<Published> {
  const decision = await decidePush(tools, request);
  if (decision.kind !== 'push') return decision;
  const { number, claim } = leaseNumber(tools.layout, 'publisher');
  const gitDir = tools.layout.publisher(number);
  try {
    const unpacked = await unpack(tools, request, gitDir);
    if (unpacked === 'missing-prerequisite') return { kind: 'superseded', remoteHead: decision.expected };
    return await push(tools, request, { gitDir, expected: decision.expected });
  } finally {
    await removeTree(gitDir).catch(() => {});
    claim.release();
  }
}

async function unpack(
  { run, layout, mirror }: PublishTools,
  request: PublishRequest,
  gitDir: string,
): Promise<'unpacked' | 'missing-prerequisite'> {
  const { branch, bundle, signal } = request;
  const publisher = { run, gitDir, signal };
  await writeSkeleton(gitDir, { head: 'publisher', bare: true, borrowsFrom: [layout.mirror] });
  let imported = await importBundle(publisher, request, bundle);
  if (imported.kind === 'imported') return 'unpacked';
  // The bundle was valid when it was made, so the mirror probably lacks its prerequisites.
  await mirror.rebuild(signal);
  imported = await importBundle(publisher, request, bundle);
  if (imported.kind === 'imported') return 'unpacked';
  for (const sha of listPrerequisites(bundle))
    if (!(await hasCommit({ ...publisher, gitDir: layout.mirror }, sha))) return 'missing-prerequisite';
  throw createFailure('invalid-data', `the frozen commits of ${branch} are damaged: ${imported.reason}`);
}

/** Decides whether to push. Fetches first, because after a lost response the commits may already be on the remote. */
async function decidePush(tools: PublishTools, request: PublishRequest): Promise<Decision> {
  return tools.mirror.fetch(request.signal, (readHead) => compareWithRemote(tools, request, readHead));
}

async function compareWithRemote(
  { layout, run }: PublishTools,
  request: PublishRequest,
  readHead: ReadHead,
): Promise<Decision> {
  const { branch, startSha, sha, signal } = request;
  const head = await readHead(branch);
  if (head === startSha) return { kind: 'push', expected: head };
  const mirror = { run, gitDir: layout.mirror, signal };
  if (head !== null) {
    const isThere = await isAncestorIn(mirror, { older: sha, newer: head });
    return isThere ? { kind: 'pushed' } : { kind: 'superseded', remoteHead: head };
  }
  // The push succeeded but its response was lost, and the branch was merged and deleted since.
  if (await isOnSomeBranch(mirror, sha)) return { kind: 'pushed' };
  // A new branch starts at a commit of another branch. Otherwise the branch was deleted, and MergeXO does not recreate
  // it. `continues` covers a branch that was merged and then deleted, because its head is on another branch too.
  const isNew = !request.continues && (await isOnSomeBranch(mirror, startSha));
  return isNew ? { kind: 'push', expected: null } : { kind: 'superseded', remoteHead: null };
}

type Push = { gitDir: string; expected: string | null };

async function push(
  tools: PublishTools,
  request: PublishRequest,
  { gitDir, expected }: Push,
): Promise<Published> {
  const { branch, sha, signal } = request;
  const { remote, label } = tools.layout;
  const ref = `refs/heads/${branch}`;
  const action = `pushing ${branch} to ${label}`;
  // The commits descend from the expected head, so the lease forces nothing. With the lease, the remote refuses the
  // push if its head has moved, even to a commit from which this push would be a fast-forward.
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
  const args = ['push', '--porcelain', '--no-verify', lease, '--', remote.url, `${sha}:${ref}`];
  const ran = await tools.run({ action, args, gitDir, remote, signal });
  const answer = parsePushOutput(ran, ref);
  if (answer.kind === 'done') return { kind: 'pushed' };
  return classifyRejection(tools, request, { answer, expected, stderr: ran.stderr });
}

type Rejection = { answer: Exclude<PushResult, { kind: 'done' }>; expected: string | null; stderr: string };

async function classifyRejection(
  tools: PublishTools,
  request: PublishRequest,
  { answer, expected, stderr }: Rejection,
): Promise<Published> {
  if (answer.kind === 'none') return { kind: 'failed', reason: excerpt(stderr) };
  // Another push may have been faster, perhaps from another worker with the same plan.
  const now = await decidePush(tools, request);
  if (now.kind !== 'push') return now;
  if (answer.kind === 'refused' && now.expected === expected)
    return { kind: 'refused', reason: answer.reason };
  return { kind: 'failed', reason: answer.reason };
}

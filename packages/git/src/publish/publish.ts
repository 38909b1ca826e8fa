import { Failure } from '@mergexo/core';
import { removeTree } from '@mergexo/process';
import type { Layout } from '../base-dir/layout.js';
import { leaseNumber } from '../base-dir/lease-number.js';
import type { Mirror, ReadHead } from '../mirror/mirror.js';
import { importBundle, listPrerequisites } from '../repository/bundle.js';
import type { Door } from '../repository/git-tools.js';
import { hasCommit, isAncestorIn, isOnSomeBranch } from '../repository/lineage.js';
import { writeSkeleton } from '../repository/write-skeleton.js';
import { checkOurBranch, checkSha } from '../run/check-names.js';
import { excerpt, invalidDataFailure, toFileFailure } from '../run/to-failure.js';
import { type PushAnswer, parsePushAnswer } from './parse-push-answer.js';

export type PublishRequest = {
  branch: string;
  startSha: string;
  sha: string;
  bundle: Buffer;
  /** The branch existed when the commits were made: if it is gone now, it is not made again. */
  continues?: boolean;
  signal?: AbortSignal | undefined;
};

export type Published =
  | { kind: 'pushed' }
  /**
   * The branch went another way; null when it is gone. Or the base that was merged into it did, and the remote has that
   * commit no more. Nothing was sent.
   */
  | { kind: 'superseded'; remoteHead: string | null }
  /** A rule of the remote forbids it. */
  | { kind: 'refused'; reason: string }
  /** Network or access: perhaps it was sent, perhaps not. The same call later finds out. */
  | { kind: 'failed'; reason: string };

export type PublishTools = { door: Door; layout: Layout; mirror: Mirror };

type Decision =
  | { kind: 'push'; expected: string | null }
  | Exclude<Published, { kind: 'refused' | 'failed' }>;

/** Sends the frozen commits as a fast-forward of exactly the head they were made on. Doing it twice changes nothing. */
export async function publish(tools: PublishTools, request: PublishRequest): Promise<Published> {
  checkOurBranch(request.branch);
  checkSha(request.startSha);
  checkSha(request.sha);
  try {
    return await lookAndPush(tools, request);
  } catch (error) {
    const failure = toFileFailure(`publishing ${request.branch}`, error);
    // What is broken stays broken; everything else is a reason to come again with the same plan.
    if (!(failure instanceof Failure) || failure.kind === 'invalid-data') throw failure;
    return { kind: 'failed', reason: failure.message };
  }
}

async function lookAndPush(tools: PublishTools, request: PublishRequest): Promise<Published> {
  const decision = await decide(tools, request);
  if (decision.kind !== 'push') return decision;
  const { number, claim } = leaseNumber(tools.layout, 'publisher');
  const gitDir = tools.layout.publisher(number);
  try {
    const unpacked = await unpack(tools, request, gitDir);
    if (unpacked === 'baseless') return { kind: 'superseded', remoteHead: decision.expected };
    return await push(tools, request, { gitDir, expected: decision.expected });
  } finally {
    await removeTree(gitDir).catch(() => {});
    claim.release();
  }
}

async function unpack(
  { door, layout, mirror }: PublishTools,
  request: PublishRequest,
  gitDir: string,
): Promise<'unpacked' | 'baseless'> {
  const { branch, bundle, signal } = request;
  await writeSkeleton(gitDir, { head: 'publisher', bare: true, borrowsFrom: [layout.mirror] });
  let imported = await importBundle(door.run, { ...request, gitDir }, bundle);
  if (imported.kind === 'imported') return 'unpacked';
  // Checked when it was made: more likely the mirror lacks what it builds on.
  await mirror.rebuild(signal);
  imported = await importBundle(door.run, { ...request, gitDir }, bundle);
  if (imported.kind === 'imported') return 'unpacked';
  for (const sha of listPrerequisites(bundle))
    if (!(await hasCommit(door.run, { gitDir: layout.mirror, sha, signal }))) return 'baseless';
  throw invalidDataFailure(`the frozen commits of ${branch} cannot be used: ${imported.reason}`);
}

/** Looks first: an answer that was lost is no reason to push again, and none to give up. */
async function decide(tools: PublishTools, request: PublishRequest): Promise<Decision> {
  return tools.mirror.look(request.signal, (readHead) => compare(tools, request, readHead));
}

async function compare(
  { layout, door }: PublishTools,
  request: PublishRequest,
  readHead: ReadHead,
): Promise<Decision> {
  const { branch, startSha, sha, signal } = request;
  const head = await readHead(branch);
  if (head === startSha) return { kind: 'push', expected: head };
  const gitDir = layout.mirror;
  if (head !== null) {
    const isThere = await isAncestorIn(door.run, { gitDir, older: sha, newer: head, signal });
    return isThere ? { kind: 'pushed' } : { kind: 'superseded', remoteHead: head };
  }
  // Pushed, merged and then deleted, while the answer was lost.
  if (await isOnSomeBranch(door.run, { gitDir, sha, signal })) return { kind: 'pushed' };
  // A new branch starts on another one. A branch that did not has been deleted, and is not ours to bring back. Nor is one
  // that was merged and then deleted: its head is on another branch, too.
  const isNew = !request.continues && (await isOnSomeBranch(door.run, { gitDir, sha: startSha, signal }));
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
  // The commits are known to descend from the expected head, so this forces nothing: it makes the remote refuse if its
  // head is any other by now, even one from which this would be a fast-forward.
  const lease = `--force-with-lease=${ref}:${expected ?? ''}`;
  const args = ['push', '--porcelain', '--no-verify', lease, '--', remote.url, `${sha}:${ref}`];
  const ran = await tools.door.run({ action, args, gitDir, remote, signal });
  const answer = parsePushAnswer(ran, ref);
  if (answer.kind === 'done') return { kind: 'pushed' };
  return judge(tools, request, { answer, expected, stderr: ran.stderr });
}

type Verdict = { answer: Exclude<PushAnswer, { kind: 'done' }>; expected: string | null; stderr: string };

async function judge(tools: PublishTools, request: PublishRequest, verdict: Verdict): Promise<Published> {
  const { answer, expected, stderr } = verdict;
  if (answer.kind === 'none') return { kind: 'failed', reason: excerpt(stderr) };
  // Somebody may have pushed between our look and our push, perhaps another worker with this very plan.
  const now = await decide(tools, request);
  if (now.kind !== 'push') return now;
  if (answer.kind === 'refused' && now.expected === expected)
    return { kind: 'refused', reason: answer.reason };
  return { kind: 'failed', reason: answer.reason };
}

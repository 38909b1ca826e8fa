import { dirname, join } from 'node:path';
import { removeTree } from '@mergexo/process';
import type { Layout } from '../base-dir/layout.js';
import { type Lease, leaseNumber } from '../base-dir/lease-number.js';
import { type Restored, type RestoreRequest, restore } from '../checkout/restore.js';
import { showTree, type WorkingTree } from '../checkout/working-tree.js';
import { type Collected, type CollectRequest, collect } from '../commit/collect.js';
import { type CommitFileRequest, commitFile } from '../commit/commit-file.js';
import { type FileRead, readInside } from '../files/read-inside.js';
import { discard, removeTrash } from '../files/trash.js';
import { type FileWritten, writeInside } from '../files/write-inside.js';
import type { MergeRequest } from '../merge/compute-merge.js';
import { type MergedBase, mergeBase } from '../merge/merge-base.js';
import type { Mirror } from '../mirror/mirror.js';
import { type Diff, type DiffRequest, diffCommits } from '../repository/diff-commits.js';
import type { Door } from '../repository/git-tools.js';
import { type CompareRequest, type Comparison, compareCommits } from '../repository/range.js';
import { type CommittedFile, readCommitted } from '../repository/read-committed.js';
import type { Author } from '../run/build-env.js';
import { checkSha } from '../run/check-names.js';
import { mustRun } from '../run/run-git.js';
import { toFileFailure } from '../run/to-failure.js';

/** A checkout directory that one turn uses at a time, and what may be done with it. */
export type Slot = {
  number: number;
  /** The agent's working directory. */
  path: string;
  /** What the agent's own git borrows objects from; a sandbox shows it read-only. */
  mirrorPath: string;
  restore(request: RestoreRequest): Promise<Restored>;
  /**
   * Merges the base into the branch's head. Unless the head has all of it, the slot's files become the merge, with
   * markers where the two conflict, and `collect` must be told the `mergeParent`.
   */
  mergeBase(request: MergeRequest): Promise<MergedBase>;
  collect(request: CollectRequest): Promise<Collected>;
  /**
   * One commit on the start that changes only this file. The slot is not looked at: edits and commits of the agent are not
   * in the result, however it left them. Never answers `rewritten`.
   */
  commitFile(request: CommitFileRequest): Promise<Collected>;
  /** Files that the head changed since it left the base, as the trusted repository has them. */
  compare(request: CompareRequest): Promise<Comparison>;
  /** The same as text, as a pull request shows it. */
  diff(request: DiffRequest): Promise<Diff>;
  /**
   * Makes the files exactly those of the commit: before the required tests, and again after them, so that what they
   * leave behind is never collected. The agent's own repository stays as it is.
   */
  prepareTests(sha: string): Promise<void>;
  /** Files that are tracked, or new and not ignored. */
  listFiles(): Promise<string[]>;
  readRegularFile(path: string, maxBytes: number): Promise<FileRead>;
  /** A file as a commit has it, whatever lies in the slot; undefined when it is missing, no file, or too large. */
  readCommitted(file: CommittedFile): Promise<Buffer | undefined>;
  writeFile(path: string, content: string | Buffer): Promise<FileWritten>;
  /** Cleans up and gives the slot back. Never throws. */
  release(): Promise<void>;
};

export type SlotTools = { door: Door; layout: Layout; mirror: Mirror; author: Author; signal: AbortSignal };

export async function leaseSlot(tools: SlotTools): Promise<Slot> {
  const { door, layout } = tools;
  const lease = takeNumber(layout);
  const tree: WorkingTree = {
    label: layout.label,
    slot: layout.slot(lease.number),
    trusted: layout.trusted(lease.number),
    mirror: layout.mirror,
  };
  try {
    if (lease.claim.afterCrash) {
      door.log.warn({ repo: layout.label, slot: lease.number }, 'took a slot back whose owner died');
      for (const path of [tree.slot, tree.trusted, layout.staging(lease.number)]) await discard(path);
    }
    await Promise.all([layout.checkouts, dirname(tree.trusted)].map(removeTrash));
    return bindSlot(tools, tree, lease);
  } catch (error) {
    lease.claim.release();
    throw toFileFailure(`leasing a slot of ${layout.label}`, error);
  }
}

function takeNumber(layout: Layout): Lease {
  try {
    return leaseNumber(layout, 'worker');
  } catch (error) {
    throw toFileFailure(`leasing a slot of ${layout.label}`, error);
  }
}

function bindSlot(tools: SlotTools, tree: WorkingTree, lease: Lease): Slot {
  const { door, layout, author, signal } = tools;
  const staging = { door, tree, gitDir: layout.staging(lease.number), author, signal };
  let shown: string | undefined;
  let ended: Promise<void> | undefined;
  const guard = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    // Somebody else may work in it by now.
    if (ended !== undefined) throw new Error(`${what} slot ${lease.number} after it was given back`);
    try {
      return await work();
    } catch (error) {
      throw toFileFailure(`${what} slot ${lease.number} of ${layout.label}`, error);
    }
  };
  return {
    number: lease.number,
    path: tree.slot,
    mirrorPath: tree.mirror,
    restore: (request) =>
      guard('restoring', async () => {
        const restored = await restore({ ...tools, tree }, request);
        if (restored.kind === 'ready') shown = restored.head;
        return restored;
      }),
    mergeBase: (request) => guard('merging in', () => mergeBase({ door, tree, signal }, request)),
    collect: (request) => guard('collecting', () => collect(staging, request)),
    commitFile: (request) => guard('committing a file in', () => commitFile(staging, request)),
    compare: (request) =>
      guard('comparing in', () => {
        checkSha(request.base);
        checkSha(request.head);
        return compareCommits(door.run, { ...request, gitDir: tree.trusted, signal });
      }),
    diff: (request) =>
      guard('comparing in', () => {
        checkSha(request.base);
        checkSha(request.head);
        return diffCommits(door.run, { ...request, gitDir: tree.trusted, signal });
      }),
    prepareTests: (sha) =>
      guard('preparing the tests of', () => {
        checkSha(sha);
        shown = sha;
        return showTree(door, tree, { sha, signal });
      }),
    listFiles: () => guard('listing', () => listFiles(door, tree, signal)),
    readRegularFile: (path, maxBytes) => guard('reading from', () => readInside(tree.slot, path, maxBytes)),
    readCommitted: (file) =>
      guard('reading a commit in', () => {
        checkSha(file.sha);
        return readCommitted(door.run, { ...file, gitDir: tree.trusted, signal });
      }),
    writeFile: (path, content) => guard('writing into', () => writeInside(tree.slot, path, content)),
    release: () => {
      ended ??= release(tools, tree, { lease, shown });
      return ended;
    },
  };
}

async function listFiles({ run }: Door, tree: WorkingTree, signal: AbortSignal): Promise<string[]> {
  const gitDir = tree.trusted;
  const { stdout } = await mustRun(run, {
    action: `listing the files of ${tree.slot}`,
    args: ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    gitDir,
    workTree: tree.slot,
    indexFile: join(gitDir, 'index'),
    signal,
  });
  return stdout.toString().split('\0').filter(Boolean);
}

type Ending = { lease: Lease; shown: string | undefined };

/** The next restore would clean just as well; this way no task's files outlive it, and the next one is faster. */
async function release(
  { door, layout }: SlotTools,
  tree: WorkingTree,
  { lease, shown }: Ending,
): Promise<void> {
  const fields = { repo: layout.label, slot: lease.number };
  try {
    await removeTree(join(tree.slot, '.git'));
    await removeTree(layout.staging(lease.number));
    if (shown !== undefined) await showTree(door, tree, { sha: shown });
  } catch (error) {
    door.log.warn({ ...fields, error: String(error) }, 'a slot could not be cleaned; the next lease does it');
  }
  try {
    lease.claim.release();
  } catch (error) {
    door.log.error(
      { ...fields, error: String(error) },
      'a slot could not be given back before this process ends',
    );
  }
}

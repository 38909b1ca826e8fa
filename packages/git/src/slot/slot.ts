import { dirname, join } from 'node:path';
import { removeTree } from '@mergexo/process';
import type { Layout } from '../base-dir/layout.js';
import { type Lease, leaseNumber } from '../base-dir/lease-number.js';
import { type Restored, type RestoreRequest, restore } from '../checkout/restore.js';
import { checkOutTree, type WorkingTree } from '../checkout/working-tree.js';
import { type CollectRequest, collect } from '../commit/collect.js';
import { type CommitFileRequest, commitFile } from '../commit/commit-file.js';
import type { Collected } from '../commit/deliver.js';
import { type FileRead, readInside } from '../files/read-inside.js';
import { discard, removeTrash } from '../files/trash.js';
import { type FileWritten, writeInside } from '../files/write-inside.js';
import type { MergeRequest } from '../merge/compute-merge.js';
import { type MergedBase, mergeBase } from '../merge/merge-base.js';
import type { Mirror } from '../mirror/mirror.js';
import { type DiffRequest, diffCommits } from '../repository/diff-commits.js';
import type { GitTools } from '../repository/git-tools.js';
import { type ChangedFile, type CompareRequest, compareCommits } from '../repository/range.js';
import { type CommittedFile, readCommitted } from '../repository/read-committed.js';
import type { Author } from '../run/build-env.js';
import { checkSha } from '../run/check-names.js';
import { mustRun } from '../run/run-git.js';
import { guardFiles } from '../run/to-failure.js';

/** A checkout directory that one turn at a time uses. */
export type Slot = {
  /** The agent's working directory. */
  path: string;
  /** The agent's own git borrows objects from here; a sandbox shows it read-only. */
  mirrorPath: string;
  restore(request: RestoreRequest): Promise<Restored>;
  /**
   * Merges the base into the branch's head. Unless the head already contains it, the slot's files become the merge, with
   * conflict markers, and `collect` needs the `mergeParent`.
   */
  mergeBase(request: MergeRequest): Promise<MergedBase>;
  collect(request: CollectRequest): Promise<Collected>;
  /** Makes one commit that changes only this file. Does not read the slot, and never answers `rewritten`. */
  commitFile(request: CommitFileRequest): Promise<Collected>;
  /** Files that the head changed since it diverged from the base, read from the trusted repository. */
  compare(request: CompareRequest): Promise<ChangedFile[]>;
  /** The same changes as text, as a pull request shows them. */
  diff(request: DiffRequest): Promise<string>;
  /**
   * Makes the files exactly those of the commit: before the required tests, and again after them, so that files which
   * the tests leave are never collected. The agent's own repository is unchanged.
   */
  prepareTests(sha: string): Promise<void>;
  /** Files that are tracked, or new and not ignored. */
  listFiles(): Promise<string[]>;
  readRegularFile(path: string, maxBytes: number): Promise<FileRead>;
  /** A file of a commit, whatever the slot contains; undefined when it is missing, no file, or too large. */
  readCommitted(file: CommittedFile): Promise<Buffer | undefined>;
  writeFile(path: string, content: string | Buffer): Promise<FileWritten>;
  /** Cleans the slot and releases it. Never throws. */
  release(): Promise<void>;
};

type SlotTools = GitTools & { layout: Layout; mirror: Mirror; author: Author; signal: AbortSignal };

export function leaseSlot(tools: SlotTools): Promise<Slot> {
  const { layout, log } = tools;
  return guardFiles(`leasing a slot of ${layout.label}`, async () => {
    const lease = leaseNumber(layout, 'worker');
    try {
      const { label, mirror } = layout;
      const [slot, trusted] = [layout.slot(lease.number), layout.trusted(lease.number)];
      if (lease.claim.afterCrash) {
        log.warn({ repo: label, slot: lease.number }, 'reclaimed a slot whose owner died');
        for (const path of [slot, trusted, layout.staging(lease.number)]) await discard(path);
      }
      await Promise.all([layout.checkouts, dirname(trusted)].map(removeTrash));
      return bindSlot(tools, { label, slot, trusted, mirror }, lease);
    } catch (error) {
      lease.claim.release();
      throw error;
    }
  });
}

function bindSlot(tools: SlotTools, tree: WorkingTree, lease: Lease): Slot {
  const { run, layout, signal } = tools;
  const staging = { ...tools, tree, gitDir: layout.staging(lease.number) };
  const trusted = { gitDir: tree.trusted, signal };
  let checkedOutSha: string | undefined;
  let ended: Promise<void> | undefined;
  const guard = async <T>(what: string, work: () => Promise<T>, ...shas: readonly string[]): Promise<T> => {
    // Another turn may be working in it.
    if (ended !== undefined) throw new Error(`${what} slot ${lease.number} after its release`);
    for (const sha of shas) checkSha(sha);
    return guardFiles(`${what} slot ${lease.number} of ${layout.label}`, work);
  };
  return {
    path: tree.slot,
    mirrorPath: tree.mirror,
    restore: (request) =>
      guard('restoring', async () => {
        const restored = await restore({ ...tools, tree }, request);
        if (restored.kind === 'ready') checkedOutSha = restored.head;
        return restored;
      }),
    mergeBase: (request) => guard('merging in', () => mergeBase({ ...tools, tree }, request)),
    collect: (request) => guard('collecting', () => collect(staging, request)),
    commitFile: (request) => guard('committing a file in', () => commitFile(staging, request)),
    compare: ({ base, head, maxFiles }) =>
      guard('comparing in', () => compareCommits(run, { base, head, maxFiles, ...trusted }), base, head),
    diff: ({ base, head, maxBytes }) =>
      guard('comparing in', () => diffCommits(run, { base, head, maxBytes, ...trusted }), base, head),
    prepareTests: (sha) =>
      guard(
        'preparing the tests of',
        () => {
          checkedOutSha = sha;
          return checkOutTree(tools, tree, { sha, signal });
        },
        sha,
      ),
    listFiles: () => guard('listing', () => listFiles(tools, tree)),
    readRegularFile: (path, maxBytes) => guard('reading from', () => readInside(tree.slot, path, maxBytes)),
    readCommitted: (file) =>
      guard('reading a commit in', () => readCommitted(run, { ...file, ...trusted }), file.sha),
    writeFile: (path, content) => guard('writing into', () => writeInside(tree.slot, path, content)),
    release: () => {
      ended ??= release(tools, tree, { lease, checkedOutSha });
      return ended;
    },
  };
}

async function listFiles({ run, signal }: SlotTools, tree: WorkingTree): Promise<string[]> {
  const { stdout } = await mustRun(run, {
    action: `listing the files of ${tree.slot}`,
    args: ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    gitDir: tree.trusted,
    workTree: tree.slot,
    indexFile: join(tree.trusted, 'index'),
    signal,
  });
  return stdout.toString().split('\0').filter(Boolean);
}

type Ending = { lease: Lease; checkedOutSha: string | undefined };

/** The next restore would clean as well. Cleaning now removes a task's files with the task, and makes that restore faster. */
async function release(tools: SlotTools, tree: WorkingTree, ending: Ending): Promise<void> {
  const { layout, log } = tools;
  const { number, claim } = ending.lease;
  const fields = { repo: layout.label, slot: number };
  try {
    await removeTree(join(tree.slot, '.git'));
    await removeTree(layout.staging(number));
    if (ending.checkedOutSha !== undefined) await checkOutTree(tools, tree, { sha: ending.checkedOutSha });
  } catch (error) {
    log.warn({ ...fields, error: String(error) }, 'a slot could not be cleaned; the next lease does it');
  }
  try {
    claim.release();
  } catch (error) {
    log.error(
      { ...fields, error: String(error) },
      'a slot could not be released; it stays leased until this process ends',
    );
  }
}

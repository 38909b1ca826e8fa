import { dirname, join } from 'node:path';
import { Failure } from '@mergexo/core/basics';
import { removeTree } from '@mergexo/process';
import { type Lease, leaseNumber } from '../base-dir/claim.js';
import type { Layout } from '../base-dir/layout.js';
import { describeAgentRepository, renewAgentRepository } from '../checkout/agent-repository.js';
import { readCreated } from '../checkout/exclude-created.js';
import { removeSpecialFiles } from '../checkout/remove-special-files.js';
import { type RestoreRequest, restore } from '../checkout/restore.js';
import { runSetup, type SetupRequest } from '../checkout/run-setup.js';
import { checkOutTree, type WorkingTree } from '../checkout/working-tree.js';
import { type CollectRequest, collect } from '../commit/collect.js';
import { type CommitFileRequest, commitFile } from '../commit/commit-file.js';
import type { Collected } from '../commit/deliver.js';
import { readInside } from '../files/read-inside.js';
import { discard, removeTrash } from '../files/trash.js';
import { UnusableCheckout } from '../files/walk-folders.js';
import { writeInside } from '../files/write-inside.js';
import { type MergeRequest, mergeBase } from '../merge/merge-base.js';
import type { Mirror } from '../mirror/mirror.js';
import { type ComposeRequest, composeTree } from '../repository/compose-tree.js';
import type { GitTools } from '../repository/git-tools.js';
import {
  type CommittedFile,
  type CompareRequest,
  compareCommits,
  type DiffRequest,
  diffCommits,
  readCommitted,
} from '../repository/read-commits.js';
import type { Skeleton } from '../repository/write-skeleton.js';
import type { Author } from '../run/build-env.js';
import { checkSha } from '../run/check-names.js';
import { mustRun, type Repository } from '../run/run-git.js';
import { createFailure, guardFiles } from '../run/to-failure.js';

/** A checkout directory that is used by one turn at a time. An interface, so that inferred types show its name. */
export interface Slot extends ReturnType<typeof bindSlot> {}

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

function bindSlot(tools: SlotTools, tree: WorkingTree, lease: Lease) {
  const { layout, signal } = tools;
  const staging = { ...tools, tree, gitDir: layout.staging(lease.number) };
  const trusted = { ...tools, gitDir: tree.trusted };
  let checkedOutSha: string | undefined;
  let agentRepository: Skeleton | undefined;
  // True after programs other than the agent may have written to the agent's repository.
  let isForeign = false;
  let ended: Promise<void> | undefined;
  const guard = async <T>(action: string, work: () => Promise<T>, ...shas: readonly string[]): Promise<T> => {
    // Another turn may already be working in the slot.
    if (ended !== undefined) throw new Error(`${action} slot ${lease.number} after its release`);
    for (const sha of shas) checkSha(sha);
    return guardFiles(`${action} slot ${lease.number} of ${layout.label}`, work);
  };
  return {
    /** The agent's working directory. */
    path: tree.slot,
    /** The mirror whose objects the agent's own git borrows. A sandbox exposes it read-only. */
    mirrorPath: tree.mirror,
    restore: (request: RestoreRequest) =>
      guard('restoring', async () => {
        const restored = await restore({ ...tools, tree }, request);
        if (restored.kind === 'ready') {
          checkedOutSha = restored.head;
          agentRepository = describeAgentRepository({ ...tools, tree }, request, restored);
        }
        return restored;
      }),
    /**
     * Writes the agent's repository again if setup or tests ran since the last call. Call this before each start of the
     * agent. Keeps the agent's commits.
     */
    prepareAgent: () =>
      guard('preparing', async () => {
        if (!isForeign || agentRepository === undefined) return;
        await renewAgentRepository(tools, tree, agentRepository);
        isForeign = false;
      }),
    /**
     * Merges the base into the branch's head. Unless the head already contains the base, the slot's files become the
     * merge result, with conflict markers, and `collect` needs the `mergeParent`.
     */
    mergeBase: (request: MergeRequest) => guard('merging in', () => mergeBase({ ...tools, tree }, request)),
    collect: (request: CollectRequest) =>
      guard('collecting', () =>
        collect(staging, request).catch((error: unknown) => refuseCheckout(error, signal)),
      ),
    /** Makes one commit that changes only this file. Does not read the slot, and never returns `rewritten`. */
    commitFile: (request: CommitFileRequest) =>
      guard('committing a file in', () => commitFile(staging, request)),
    /** Lists files that the head changed since it diverged from the base, read from the trusted repository. */
    compare: (request: CompareRequest) =>
      guard('comparing in', () => compareCommits(trusted, request), request.base, request.head),
    /** Returns the changes since the head diverged from the base, in the format of a pull request's diff. */
    diff: (request: DiffRequest) =>
      guard('comparing in', () => diffCommits(trusted, request), request.base, request.head),
    /**
     * Makes the slot's files exactly those of the commit. Called before the required tests, and again after them so
     * that files left by the tests are never collected. Does not change the agent's own repository.
     */
    prepareTests: (sha: string) =>
      guard(
        'preparing the tests of',
        () => {
          checkedOutSha = sha;
          isForeign = true;
          return checkOutTree(tools, tree, { sha, signal });
        },
        sha,
      ),
    /**
     * Runs setup on the files in the slot. Files that it creates stay until the next `prepareTests` and are never
     * collected.
     */
    setUp: <T>(request: SetupRequest, run: () => Promise<T>) =>
      guard(
        'setting up',
        () => {
          isForeign = true;
          return runSetup({ ...tools, tree }, request, run);
        },
        request.sha,
      ),
    /** Writes a tree for `prepareTests`: the base with some files of another commit. */
    composeTree: (request: ComposeRequest) =>
      guard(
        'preparing the tests of',
        () => composeTree({ ...trusted, indexFile: join(tree.trusted, 'compose-index') }, request),
        request.base,
        request.from,
      ),
    /** Lists files that are tracked, or new and not ignored. */
    listFiles: () => guard('listing', () => listFiles(trusted, tree)),
    /** Lists the files of a commit. Bytes that are not UTF-8 become U+FFFD. */
    listCommitted: (sha: string) => guard('listing a commit in', () => listCommitted(trusted, sha), sha),
    readRegularFile: (path: string, maxBytes: number) =>
      guard('reading from', () => readInside(tree.slot, path, maxBytes)),
    /** Reads a file from a commit, not from the slot; undefined if the path is missing, not a file, or too large. */
    readCommitted: (file: CommittedFile) =>
      guard('reading a commit in', () => readCommitted(trusted, file), file.sha),
    writeFile: (path: string, content: string | Buffer) =>
      guard('writing into', () => writeInside(tree.slot, path, content)),
    /** Cleans the slot and releases it. Never throws. */
    release: () => {
      ended ??= release(tools, tree, { lease, checkedOutSha });
      return ended;
    },
  };
}

/**
 * Returns `invalid` for a checkout that a retry would probably create again. A timeout without an abort becomes
 * `invalid-data`, because the agent's files are the likely reason, and the agent must not be paid for 20 retries.
 */
function refuseCheckout(error: unknown, signal: AbortSignal): Collected {
  if (error instanceof UnusableCheckout) return { kind: 'invalid', reason: error.message };
  if (!(error instanceof Failure) || error.kind !== 'timed-out' || signal.aborted) throw error;
  throw createFailure(
    'invalid-data',
    `${error.message}; the files that the agent left are the likely reason`,
  );
}

async function listCommitted(trusted: Repository & GitTools, sha: string): Promise<string[]> {
  const { entries } = await trusted.listTrackedFiles(trusted, sha);
  return [...entries.keys()].map((path) => Buffer.from(path, 'latin1').toString());
}

async function listFiles(trusted: Repository & GitTools, tree: WorkingTree): Promise<string[]> {
  await removeSpecialFiles(tree.slot, trusted.limits.slotFiles);
  const stdout = await mustRun(trusted, {
    action: `listing the files of ${tree.slot}`,
    args: ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    workTree: tree.slot,
    indexFile: join(tree.trusted, 'index'),
  });
  const isCreated = await readCreated(tree.trusted);
  const paths = stdout.toString('latin1').split('\0').filter(Boolean);
  return paths.filter((path) => !isCreated(path)).map((path) => Buffer.from(path, 'latin1').toString());
}

type Ending = { lease: Lease; checkedOutSha: string | undefined };

/** Cleans the slot now, so that a turn's files are removed with the turn and the next restore is faster. */
async function release(tools: SlotTools, tree: WorkingTree, ending: Ending): Promise<void> {
  const { layout, log } = tools;
  const { number, claim } = ending.lease;
  const fields = { repo: layout.label, slot: number };
  try {
    await removeTree(join(tree.slot, '.git'));
    await removeTree(layout.staging(number));
    if (ending.checkedOutSha !== undefined) await checkOutTree(tools, tree, { sha: ending.checkedOutSha });
  } catch (error) {
    log.warn({ ...fields, error: String(error) }, 'a slot could not be cleaned; the next lease cleans it');
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

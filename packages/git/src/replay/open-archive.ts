import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '@mergexo/process';
import type { Layout } from '../base-dir/layout.js';
import { importBundle, type Range } from '../repository/bundle.js';
import type { GitTools } from '../repository/git-tools.js';
import { findMergeBase } from '../repository/lineage.js';
import { writeSkeleton } from '../repository/write-skeleton.js';
import { checkSha } from '../run/check-names.js';
import { mustRun, type Repository } from '../run/run-git.js';
import { toFailure } from '../run/to-failure.js';
import { type CutRequest, cutRepository } from './cut-repository.js';
import { type OverlayRequest, overlayFiles } from './overlay-files.js';

/** A temporary repository with chosen commits of the remote. An interface, so that inferred types show its name. */
export interface Archive extends ReturnType<typeof bindArchive> {}

/** `missing`: the remote no longer has one of the commits. */
export type OpenedArchive = { kind: 'opened'; archive: Archive } | { kind: 'missing'; reason: string };

type ArchiveRequest = { dir: string; commits: readonly string[]; signal?: AbortSignal | undefined };

type ArchiveTools = GitTools & { layout: Layout };

/**
 * Fetches the commits, which may no longer be on any branch. Borrows the objects of the mirror, so that a fetch from a
 * large repository is fast.
 */
export async function openArchive(
  tools: ArchiveTools,
  { dir, commits, signal }: ArchiveRequest,
): Promise<OpenedArchive> {
  const { run, layout } = tools;
  for (const sha of commits) checkSha(sha);
  const mirror = existsSync(join(layout.mirror, 'objects')) ? [layout.mirror] : [];
  await writeSkeleton(dir, { head: 'main', bare: true, borrowsFrom: mirror });
  const archive = { run, gitDir: dir, signal };
  const reason = await fetchCommits(archive, layout, commits);
  return reason === undefined
    ? { kind: 'opened', archive: bindArchive(archive, dir) }
    : { kind: 'missing', reason };
}

function bindArchive(archive: Repository, dir: string) {
  return {
    path: dir,
    /** Returns the commit that the branch of a merged pull request started from; null if there is none. */
    findBase: (pull: { headSha: string; mergeSha: string }) => findBase(archive, pull),
    /** Lists the changed files with their changed lines; 0 for binary files. */
    measure: (pair: { base: string; head: string }) => measure(archive, pair),
    listFiles: (sha: string) => listFiles(archive, sha),
    cut: (request: CutRequest) => cutRepository(archive, request),
    importBundle: (range: Range, bundle: Buffer) => importBundle(archive, range, bundle),
    overlay: (request: OverlayRequest) => overlayFiles(archive, request),
    remove: () => removeTree(dir),
  };
}

/** Returns the reason why the commits cannot be fetched, or undefined if they were fetched. */
async function fetchCommits(
  archive: Repository,
  { remote, label }: Layout,
  commits: readonly string[],
): Promise<string | undefined> {
  const action = `fetching commits of ${label}`;
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head'];
  const refspecs = commits.map((sha) => `+${sha}:refs/archive/${sha}`);
  const args = ['fetch', ...options, '--', remote.url, ...refspecs];
  const ran = await archive.run({ ...archive, action, args, remote });
  if (ran.code === 0) return undefined;
  if (/not our ref|unadvertised object|couldn't find remote ref/i.test(ran.stderr))
    return `the remote no longer has one of the commits ${commits.join(', ')}; a force push may have removed it`;
  throw toFailure({ action, ...ran });
}

/** The first parent of the merge is the base branch before the merge, or an earlier commit of a rebased branch. */
function findBase(
  archive: Repository,
  { headSha, mergeSha }: { headSha: string; mergeSha: string },
): Promise<string | null> {
  return findMergeBase(archive, { older: `${mergeSha}^1`, newer: headSha });
}

async function measure(archive: Repository, { base, head }: { base: string; head: string }) {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--numstat', base, head];
  const stdout = await mustRun(archive, { action: `comparing ${base} with ${head}`, args });
  return stdout
    .toString()
    .split('\0')
    .filter(Boolean)
    .map((line) => {
      const [added = '', removed = '', ...path] = line.split('\t');
      return { path: path.join('\t'), lines: (Number(added) || 0) + (Number(removed) || 0) };
    });
}

async function listFiles(archive: Repository, sha: string): Promise<string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', sha];
  const stdout = await mustRun(archive, { action: `listing ${sha}`, args });
  return stdout.toString().split('\0').filter(Boolean);
}

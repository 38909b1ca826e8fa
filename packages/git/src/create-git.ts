import { mkdirSync } from 'node:fs';
import { type Log, MAX_BUNDLE_BYTES } from '@mergexo/core';
import { layOut, type RepoRef } from './base-dir/layout.js';
import { openMirror } from './mirror/mirror.js';
import { type RemoteBranch, readRemoteBranch } from './mirror/read-remote-branch.js';
import { type Published, type PublishRequest, publish } from './publish/publish.js';
import type { Door, Limits } from './repository/git-tools.js';
import { findCommit, hasCommit, isAncestorIn } from './repository/lineage.js';
import { rememberTrackedFiles } from './repository/tracked-files.js';
import type { Author } from './run/build-env.js';
import { checkSha } from './run/check-names.js';
import { createRunGit } from './run/run-git.js';
import { notFoundFailure, toFileFailure } from './run/to-failure.js';
import { leaseSlot, type Slot } from './slot/slot.js';

export type GitOptions = {
  baseDir: string;
  /** Where git is looked for; relative entries are ignored. */
  searchPath: string;
  /** For ssh remotes: where the ssh agent listens, if there is one. */
  sshAuthSock?: string | undefined;
  log: Log;
  /** The token for the remote, asked for each command that talks to it. It is stored nowhere. */
  credential: () => Promise<string | undefined>;
  limits?: Partial<Limits>;
};

export type Git = {
  /**
   * Waits for nobody: the first slot that no living process holds. The signal ends what is done with it; every commit
   * that comes of it has this author.
   */
  leaseSlot(repo: RepoRef, lease: { author: Author; signal: AbortSignal }): Promise<Slot>;
  /** Needs no slot, so that any host can carry out a frozen plan. */
  publish(repo: RepoRef, request: PublishRequest): Promise<Published>;
  readRemoteBranch(repo: RepoRef, branch: string, signal?: AbortSignal): Promise<RemoteBranch | undefined>;
  isAncestor(repo: RepoRef, older: string, newer: string, signal?: AbortSignal): Promise<boolean>;
  /** The one commit that a shortened sha stands for; undefined when there is none, or more than one. */
  expandSha(repo: RepoRef, short: string, signal?: AbortSignal): Promise<string | undefined>;
};

const LIMITS: Limits = {
  localMs: 120_000,
  networkMs: 600_000,
  waitMs: 600_000,
  outputBytes: 256 * 1024 * 1024,
  slotBytes: 256 * 1024 * 1024,
  bundleBytes: MAX_BUNDLE_BYTES,
};

export function createGit(options: GitOptions): Git {
  const limits = { ...LIMITS, ...options.limits };
  mkdirSync(options.baseDir, { recursive: true, mode: 0o700 });
  const run = createRunGit({ ...options, limits });
  const door: Door = { run, listTrackedFiles: rememberTrackedFiles(run), log: options.log, limits };
  const open = (repo: RepoRef) => {
    const layout = layOut(options.baseDir, repo);
    return { door, layout, repo, mirror: openMirror(door, layout, repo) };
  };
  return {
    leaseSlot: async (repo, lease) => leaseSlot({ ...open(repo), ...lease }),
    publish: async (repo, request) => publish(open(repo), request),
    readRemoteBranch: (repo, branch, signal) =>
      guard(`reading ${branch}`, () => readRemoteBranch({ ...open(repo), signal }, branch)),
    async isAncestor(repo, older, newer, signal) {
      checkSha(older);
      checkSha(newer);
      const { layout, mirror } = open(repo);
      const gitDir = layout.mirror;
      const compare = async () => {
        for (const sha of [older, newer]) {
          if (!(await hasCommit(door.run, { gitDir, sha, signal })))
            throw notFoundFailure(
              `${layout.label} does not show commit ${sha}; it may have been removed from its branches`,
            );
        }
        return isAncestorIn(door.run, { gitDir, older, newer, signal });
      };
      return guard(`comparing ${older} with ${newer}`, () => mirror.look(signal, compare));
    },
    async expandSha(repo, short, signal) {
      if (!/^[0-9a-f]{4,40}$/.test(short)) return undefined;
      const { layout, mirror } = open(repo);
      const expand = () => findCommit(door.run, { gitDir: layout.mirror, sha: short, signal });
      return guard(`looking for ${short}`, () => mirror.look(signal, expand));
    },
  };
}

async function guard<T>(action: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFileFailure(action, error);
  }
}

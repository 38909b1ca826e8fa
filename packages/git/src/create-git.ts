import { mkdirSync } from 'node:fs';
import type { Log } from '@mergexo/core/basics';
import { MAX_BUNDLE_BYTES } from '@mergexo/core/turns';
import { layOut, type RepoRef } from './base-dir/layout.js';
import { openMirror } from './mirror/mirror.js';
import { type Published, type PublishRequest, publish } from './publish/publish.js';
import type { Limits } from './repository/git-tools.js';
import { findCommit, hasCommit, isAncestorIn } from './repository/lineage.js';
import { rememberTrackedFiles } from './repository/tracked-files.js';
import type { Author } from './run/build-env.js';
import { checkSha } from './run/check-names.js';
import { createRunGit } from './run/run-git.js';
import { createFailure, guardFiles } from './run/to-failure.js';
import { leaseSlot, type Slot } from './slot/slot.js';

type GitOptions = {
  baseDir: string;
  /** Directories to find git in; relative entries are ignored. */
  searchPath: string;
  /** For ssh remotes: the socket of the ssh agent, if there is one. */
  sshAuthSock?: string | undefined;
  log: Log;
  /** The token for the remote, asked for each command that talks to it and stored nowhere. */
  credential: () => Promise<string | undefined>;
  limits?: Partial<Limits>;
};

export type Git = {
  /**
   * The first slot that no living process holds; does not wait. The signal ends all commands of the slot, and every
   * commit made in it has this author.
   */
  leaseSlot(repo: RepoRef, lease: { author: Author; signal: AbortSignal }): Promise<Slot>;
  /** Needs no slot, so that any host can carry out a frozen plan. */
  publish(repo: RepoRef, request: PublishRequest): Promise<Published>;
  isAncestor(repo: RepoRef, older: string, newer: string, signal?: AbortSignal): Promise<boolean>;
  /** The commit that a shortened sha names; undefined when there is none, or more than one. */
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
  const { baseDir, log } = options;
  const limits = { ...LIMITS, ...options.limits };
  mkdirSync(baseDir, { recursive: true, mode: 0o700 });
  const run = createRunGit({ ...options, limits });
  const tools = { run, listTrackedFiles: rememberTrackedFiles(run), log, limits };
  const open = (repo: RepoRef) => {
    const layout = layOut(baseDir, repo);
    return { ...tools, layout, mirror: openMirror(tools, layout, repo) };
  };
  return {
    leaseSlot: async (repo, lease) => leaseSlot({ ...open(repo), ...lease }),
    publish: async (repo, request) => publish(open(repo), request),
    async isAncestor(repo, older, newer, signal) {
      checkSha(older);
      checkSha(newer);
      const { layout, mirror } = open(repo);
      const place = { gitDir: layout.mirror, signal };
      const compare = async () => {
        for (const sha of [older, newer]) {
          if (!(await hasCommit(run, { ...place, sha })))
            throw createFailure(
              'not-found',
              `${layout.label} does not show commit ${sha}; it may have been removed from its branches`,
            );
        }
        return isAncestorIn(run, { ...place, older, newer });
      };
      return guardFiles(`comparing ${older} with ${newer}`, () => mirror.fetch(signal, compare));
    },
    async expandSha(repo, short, signal) {
      if (!/^[0-9a-f]{4,40}$/.test(short)) return undefined;
      const { layout, mirror } = open(repo);
      const expand = () => findCommit(run, { gitDir: layout.mirror, sha: short, signal });
      return guardFiles(`looking for ${short}`, () => mirror.fetch(signal, expand));
    },
  };
}

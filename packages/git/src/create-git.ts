import { mkdirSync } from 'node:fs';
import type { Log, ProxySettings } from '@mergexo/core/basics';
import { MAX_BUNDLE_BYTES } from '@mergexo/core/turns';
import { layOut, type RepoRef } from './base-dir/layout.js';
import { openMirror } from './mirror/mirror.js';
import { type Published, type PublishRequest, publish } from './publish/publish.js';
import { type OpenedArchive, openArchive } from './replay/open-archive.js';
import type { Limits } from './repository/git-tools.js';
import { findCommit, hasCommit, isAncestorIn } from './repository/lineage.js';
import { rememberTrackedFiles } from './repository/tracked-files.js';
import type { Author } from './run/build-env.js';
import { checkSha } from './run/check-names.js';
import { createRunGit } from './run/run-git.js';
import { createFailure, guardFiles } from './run/to-failure.js';
import { writeCaBundle } from './run/write-ca-bundle.js';
import { leaseSlot, type Slot } from './slot/slot.js';

type GitOptions = {
  baseDir: string;
  /** Directories in which to find git. Relative entries are ignored. */
  searchPath: string;
  /** The ssh agent's socket for ssh remotes, if there is one. */
  sshAuthSock?: string | undefined;
  /** The proxy for https remotes; absent: none. */
  proxy?: ProxySettings | undefined;
  /** A file with certificate authorities to trust in addition to the system's. */
  extraCaCerts?: string | undefined;
  log: Log;
  /** Returns the token for the remote. Called for each command that contacts the remote; the token is never stored. */
  credential: () => Promise<string | undefined>;
  limits?: Partial<Limits>;
};

export type Git = {
  /**
   * Leases the first slot that no living process holds, without waiting. The signal ends all commands of the slot, and
   * every commit made in the slot has this author.
   */
  leaseSlot(repo: RepoRef, lease: { author: Author; signal: AbortSignal }): Promise<Slot>;
  /** Pushes a frozen plan. Needs no slot, so that any host can push. */
  publish(repo: RepoRef, request: PublishRequest): Promise<Published>;
  isAncestor(repo: RepoRef, pair: { older: string; newer: string }, signal?: AbortSignal): Promise<boolean>;
  /** Returns the commit that a short sha names; undefined if no commit or several commits match. */
  expandSha(repo: RepoRef, short: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Fetches commits into a temporary repository that the caller removes, to replay a merged pull request. */
  openArchive(
    repo: RepoRef,
    request: { dir: string; commits: readonly string[]; signal?: AbortSignal },
  ): Promise<OpenedArchive>;
};

const LIMITS: Limits = {
  localMs: 120_000,
  networkMs: 600_000,
  waitMs: 600_000,
  outputBytes: 256 * 1024 * 1024,
  slotBytes: 256 * 1024 * 1024,
  slotFiles: 1_000_000,
  bundleBytes: MAX_BUNDLE_BYTES,
};

export function createGit(options: GitOptions): Git {
  const { baseDir, log, extraCaCerts } = options;
  const limits = { ...LIMITS, ...options.limits };
  mkdirSync(baseDir, { recursive: true, mode: 0o700 });
  const caInfo = writeCaBundle({ baseDir, extraCaCerts, log });
  const run = createRunGit({ ...options, caInfo, limits });
  const tools = { run, listTrackedFiles: rememberTrackedFiles(), log, limits };
  const open = (repo: RepoRef) => {
    const layout = layOut(baseDir, repo);
    return { ...tools, layout, mirror: openMirror(tools, layout, repo) };
  };
  return {
    leaseSlot: async (repo, lease) => leaseSlot({ ...open(repo), ...lease }),
    publish: async (repo, request) => publish(open(repo), request),
    openArchive: async (repo, request) =>
      guardFiles(`fetching ${repo.owner}/${repo.name}`, () => openArchive(open(repo), request)),
    async isAncestor(repo, { older, newer }, signal) {
      checkSha(older);
      checkSha(newer);
      const { layout, mirror } = open(repo);
      const repository = { run, gitDir: layout.mirror, signal };
      const compare = async () => {
        for (const sha of [older, newer]) {
          if (!(await hasCommit(repository, sha)))
            throw createFailure(
              'not-found',
              `the remote ${layout.label} no longer has commit ${sha}; a force push or a deleted branch may have removed it`,
            );
        }
        return isAncestorIn(repository, { older, newer });
      };
      return guardFiles(`comparing ${older} with ${newer}`, () => mirror.fetch(signal, compare));
    },
    async expandSha(repo, short, signal) {
      if (!/^[0-9a-f]{4,40}$/.test(short)) return undefined;
      const { layout, mirror } = open(repo);
      const expand = () => findCommit({ run, gitDir: layout.mirror, signal }, short);
      return guardFiles(`looking for ${short}`, () => mirror.fetch(signal, expand));
    },
  };
}

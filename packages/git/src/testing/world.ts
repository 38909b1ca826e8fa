import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '@mergexo/core/basics';
import type { RepoRef } from '../base-dir/layout.js';
import { createGit, type Git } from '../create-git.js';
import type { Slot } from '../slot/slot.js';
import { AUTHOR, commit, makeRemote, git as runGit, SEARCH_PATH } from './shell.js';

export const BRANCH = 'agent/bugfix/7-crash';
export const TRAILER = `MergeXO-Turn: ${'ab'.repeat(32)}`;
export const NEW_BRANCH = { branch: BRANCH, startSha: null, baseBranch: 'main' };
export const FILES = {
  'README.md': '# app\n',
  'src/a.txt': 'one\n',
  'src/b.txt': 'two\n',
  '.gitignore': 'ignored/\n',
};

export type World = {
  dir: string;
  baseDir: string;
  /** The remote's bare directory and a person's clone of it; empty for a remote elsewhere. */
  remote: string;
  clone: string;
  repo: RepoRef;
  git: Git;
  logged: string[];
  lease(signal?: AbortSignal): Promise<Slot>;
  /** Leased and restored, with the head it starts from. */
  start(): Promise<{ slot: Slot; head: string }>;
  /** Pushes one commit on a new branch, then one on the base branch. */
  pushBranch(files: Readonly<Record<string, string>>): string;
  /** A slot that is restored to a head of the branch. */
  continueAt(head: string): Promise<{ slot: Slot; baseSha: string }>;
  /** Releases every slot. */
  releaseAll(): Promise<void>;
  remove(): Promise<void>;
};

export type WorldOptions = Partial<Omit<Parameters<typeof createGit>[0], 'log'>> & {
  files?: Readonly<Record<string, string>>;
  remoteUrl?: string;
  name?: string;
};

/** A remote in a directory (or the given one), a person's clone of it, and a Git for it. */
export function makeWorld({ files = FILES, remoteUrl, name = 'app', ...options }: WorldOptions = {}): World {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-git-'));
  const { remote, clone } = remoteUrl === undefined ? makeRemote(dir, files) : { remote: '', clone: '' };
  const baseDir = options.baseDir ?? join(dir, 'base');
  const repo = { owner: 'acme', name, remoteUrl: remoteUrl ?? remote, defaultBranch: 'main' };
  const logged: string[] = [];
  const defaults = { searchPath: SEARCH_PATH, credential: async () => undefined };
  const git = createGit({ ...defaults, ...options, baseDir, log: createTestLog(logged) });
  const leased: Slot[] = [];
  const lease = async (signal = new AbortController().signal) => {
    const slot = await git.leaseSlot(repo, { author: AUTHOR, signal });
    leased.push(slot);
    return slot;
  };
  const start = async () => {
    const slot = await lease();
    const restored = await slot.restore(NEW_BRANCH);
    if (restored.kind !== 'ready') throw new Error(`not ready: ${JSON.stringify(restored)}`);
    return { slot, head: restored.head };
  };
  const pushBranch: World['pushBranch'] = (changed) => {
    const push = (branch: string) => runGit(clone, 'push', '-q', 'origin', branch);
    runGit(clone, 'checkout', '-q', '-b', BRANCH);
    const head = commit(clone, changed);
    push(BRANCH);
    runGit(clone, 'checkout', '-q', 'main');
    commit(clone, { 'README.md': 'moved on\n' });
    push('main');
    return head;
  };
  const continueAt = async (head: string) => {
    const slot = await lease();
    const restored = await slot.restore({ ...NEW_BRANCH, startSha: head });
    if (restored.kind !== 'ready') throw new Error(restored.kind);
    return { slot, baseSha: restored.baseSha };
  };
  const releaseAll = async () => {
    for (const slot of leased.splice(0)) await slot.release();
  };
  const remove = async () => {
    await releaseAll();
    rmSync(dir, { recursive: true, force: true });
  };
  return {
    dir,
    baseDir,
    remote,
    clone,
    repo,
    git,
    logged,
    lease,
    start,
    pushBranch,
    continueAt,
    releaseAll,
    remove,
  };
}

function createTestLog(logged: string[]): Log {
  const keep = (fields: Readonly<Record<string, unknown>>, message: string) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: keep, info: keep, warn: keep, error: keep };
}

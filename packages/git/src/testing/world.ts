import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '@mergexo/core/basics';
import { createGit } from '../create-git.js';
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

export type World = ReturnType<typeof makeWorld>;

export type WorldOptions = Partial<Omit<Parameters<typeof createGit>[0], 'log'>> & {
  files?: Readonly<Record<string, string>>;
  remoteUrl?: string;
  name?: string;
};

/** Creates a remote in a directory, a person's clone, and a `Git`. With `remoteUrl`, `remote` and `clone` are empty. */
export function makeWorld({ files = FILES, remoteUrl, name = 'app', ...options }: WorldOptions = {}) {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-git-'));
  const { remote, clone } = remoteUrl === undefined ? makeRemote(dir, files) : { remote: '', clone: '' };
  const baseDir = options.baseDir ?? join(dir, 'base');
  const repo = { owner: 'acme', name, remoteUrl: remoteUrl ?? remote, defaultBranch: 'main' };
  const logged: string[] = [];
  const defaults = { searchPath: SEARCH_PATH, credential: async () => undefined };
  const git = createGit({ ...defaults, ...options, baseDir, log: createTestLog(logged) });
  const leased: Slot[] = [];
  const lease = async (signal: AbortSignal = new AbortController().signal) => {
    const slot = await git.leaseSlot(repo, { author: AUTHOR, signal });
    leased.push(slot);
    return slot;
  };
  /** Leases a slot and restores it to this head of the branch, or to a new branch. */
  const open = async (startSha: string | null) => {
    const slot = await lease();
    const restored = await slot.restore({ ...NEW_BRANCH, startSha });
    if (restored.kind !== 'ready') throw new Error(`not ready: ${JSON.stringify(restored)}`);
    return { slot, head: restored.head, baseSha: restored.baseSha };
  };
  /** Pushes one commit on a new branch, and then one commit on the base branch. */
  const pushBranch = (changed: Readonly<Record<string, string>>): string => {
    const push = (branch: string) => runGit(clone, 'push', '-q', 'origin', branch);
    runGit(clone, 'checkout', '-q', '-b', BRANCH);
    const head = commit(clone, changed);
    push(BRANCH);
    runGit(clone, 'checkout', '-q', 'main');
    commit(clone, { 'README.md': 'moved on\n' });
    push('main');
    return head;
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
    start: () => open(null),
    pushBranch,
    continueAt: (head: string) => open(head),
    releaseAll,
    remove,
  };
}

function createTestLog(logged: string[]): Log {
  const keep = (fields: Readonly<Record<string, unknown>>, message: string) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  return { debug: keep, info: keep, warn: keep, error: keep };
}

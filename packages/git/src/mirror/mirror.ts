import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { removeTree } from '@mergexo/process';
import { withClaim } from '../base-dir/claim.js';
import type { Layout, RepoRef } from '../base-dir/layout.js';
import { discard, removeTrash, replaceTree } from '../files/trash.js';
import type { GitTools } from '../repository/git-tools.js';
import { readRef } from '../repository/read-ref.js';
import { buildConfig, lstatOrUndefined, writeSkeleton } from '../repository/write-skeleton.js';
import type { Ran } from '../run/run-git.js';
import { isExternalFailure, toFailure } from '../run/to-failure.js';
import { removeIfOld, TEMPORARY, tidyMirror } from './tidy-mirror.js';

/** Reads the head of a remote branch; null if there is no such branch. */
export type ReadHead = (branch: string) => Promise<string | null>;

export type Mirror = ReturnType<typeof openMirror>;

type Fetch = GitTools & { action: string; layout: Layout; repo: RepoRef; signal: AbortSignal | undefined };

/** Opens the bare copy whose objects the slots borrow. Branches follow the remote; objects are never removed. */
export function openMirror(tools: GitTools, layout: Layout, repo: RepoRef) {
  const gitDir = layout.mirror;
  const action = `fetching ${layout.label}`;
  const withMirror = <T>(signal: AbortSignal | undefined, work: (fetch: Fetch) => Promise<T>): Promise<T> => {
    const wait = { action, limitMs: tools.limits.waitMs, signal };
    return withClaim(layout.claim('mirror'), wait, async ({ afterCrash }) => {
      if (afterCrash) {
        const cleanUp = [
          removeLeftovers(gitDir),
          removeTree(freshPathOf(gitDir)),
          removeTrash(dirname(gitDir)),
        ];
        await Promise.all(cleanUp);
      }
      await prepare(gitDir, repo.defaultBranch);
      const result = await work({ ...tools, action, layout, repo, signal });
      await tidyMirror(tools, gitDir, signal);
      return result;
    });
  };
  // Reads the files directly, because `writeSkeleton` determines their format.
  const readHead: ReadHead = (branch) => readRef(gitDir, `refs/heads/${branch}`);
  return {
    /** Fetches, and then runs the work before another process can fetch. */
    fetch: <T>(signal: AbortSignal | undefined, work: (readHead: ReadHead) => Promise<T>): Promise<T> =>
      withMirror(signal, async (fetch) => {
        await fetchOrRebuild(fetch);
        return work(readHead);
      }),
    /** Repairs damage that a fetch does not detect. */
    rebuild: (signal?: AbortSignal) => withMirror(signal, (fetch) => rebuildAndFetch(fetch)),
  };
}

/**
 * Fetches into the mirror. If locks of a killed git stop the fetch, removes them and fetches again. After any other
 * error, builds a new mirror, unless the remote, the network or the disk caused the error.
 */
async function fetchOrRebuild(fetch: Fetch): Promise<void> {
  const { mirror } = fetch.layout;
  let ran = await fetchInto(mirror, fetch);
  if (ran.code !== 0 && /\.lock'?: File exists|Another git process/i.test(ran.stderr)) {
    await removeLeftovers(mirror);
    ran = await fetchInto(mirror, fetch);
  }
  if (ran.code === 0) return;
  if (isExternalFailure(ran.stderr)) throw toFailure({ action: fetch.action, ...ran });
  await rebuildAndFetch(fetch, ran.stderr);
}

/**
 * Builds the new mirror next to the old one. The old mirror stays until the new one is complete, because slots borrow
 * from it and the remote may have caused the error.
 */
async function rebuildAndFetch(fetch: Fetch, reason = ''): Promise<void> {
  const { layout, repo, action, log } = fetch;
  log.warn(
    { repo: layout.label, reason: reason.slice(-400) },
    'the mirror is damaged; MergeXO clones it again',
  );
  const fresh = freshPathOf(layout.mirror);
  await writeSkeleton(fresh, { head: repo.defaultBranch, bare: true });
  try {
    const ran = await fetchInto(fresh, fetch);
    if (ran.code !== 0) throw toFailure({ action, ...ran });
    await replaceTree(layout.mirror, fresh);
  } finally {
    await removeTree(fresh);
  }
}

/** Returns the path of a new mirror. No repository name can have this suffix. */
const freshPathOf = (mirror: string): string => `${mirror}~new`;

const OPTIONS = ['--quiet', '--prune', '--no-tags', '--no-write-fetch-head'];
const REFSPECS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

function fetchInto(gitDir: string, { run, action, layout: { remote }, signal }: Fetch): Promise<Ran> {
  const args = ['fetch', ...OPTIONS, '--', remote.url, ...REFSPECS];
  return run({ action, args, gitDir, remote, signal });
}

async function prepare(gitDir: string, defaultBranch: string): Promise<void> {
  const shape = { head: defaultBranch, bare: true };
  if (!(await isComplete(gitDir))) {
    await discard(gitDir);
    await writeSkeleton(gitDir, shape);
  }
  const [path, config] = [join(gitDir, 'config'), buildConfig(shape)];
  // The file is written only if it differs, because other processes may be reading it.
  if ((await readFile(path, 'utf8').catch(() => '')) !== config) await writeFile(path, config);
}

async function isComplete(gitDir: string): Promise<boolean> {
  const found = await Promise.all(
    ['.', 'objects', 'refs'].map((name) => lstatOrUndefined(join(gitDir, name))),
  );
  const head = await lstatOrUndefined(join(gitDir, 'HEAD'));
  return head?.isFile() === true && found.every((entry) => entry?.isDirectory() === true);
}

/** Removes locks and unfinished packs. Only the holder of the mirror's claim may call this. */
async function removeLeftovers(gitDir: string): Promise<void> {
  const names = await readdir(gitDir, { recursive: true }).catch(() => []);
  for (const name of names) {
    const path = join(gitDir, name);
    if (name.endsWith('.lock')) await rm(path, { force: true });
    else if (name.startsWith('objects/') && TEMPORARY.test(basename(name))) await removeIfOld(path);
  }
}

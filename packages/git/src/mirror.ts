import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Door } from './door.js';
import type { Layout, RepoRef } from './layout.js';
import { readRef } from './read-ref.js';
import { discard, removeTrash } from './remove-tree.js';
import type { Ran } from './run-git.js';
import { buildConfig, lstatOrUndefined, writeSkeleton } from './skeleton.js';
import { tidyMirror } from './tidy-mirror.js';
import { isOutsideTrouble, toFailure } from './to-failure.js';
import { withClaim } from './wait-for-claim.js';

const REFSPECS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
const HOUR_MS = 3_600_000;

export type Mirror = {
  refresh(signal?: AbortSignal): Promise<void>;
  /** For damage that a fetch does not notice. */
  rebuild(signal?: AbortSignal): Promise<void>;
  /** Where the remote's branch stood at the last refresh; null if there was none. */
  readHead(branch: string): Promise<string | null>;
};

/** The bare copy that slots borrow from. Branches come and go with the remote; objects only come. */
export function openMirror(door: Door, layout: Layout, repo: RepoRef): Mirror {
  const gitDir = layout.mirror;
  const action = `fetching ${layout.label}`;
  const alone = (signal: AbortSignal | undefined, work: (fetch: Fetch) => Promise<void>) => {
    const wait = { action, limitMs: door.limits.waitMs, signal };
    return withClaim(layout.claim('mirror'), wait, async ({ afterCrash }) => {
      if (afterCrash) await Promise.all([removeLeftovers(gitDir), removeTrash(dirname(gitDir))]);
      await prepare(gitDir, repo.defaultBranch);
      await work({ action, layout, repo, signal });
      await tidyMirror(door, gitDir, signal);
    });
  };
  return {
    refresh: (signal) => alone(signal, (fetch) => fetchOrHeal(door, fetch)),
    rebuild: (signal) => alone(signal, (fetch) => rebuildAndFetch(door, fetch)),
    async readHead(branch) {
      // Its format is ours, written by `writeSkeleton`, so there is no need to ask git.
      return readRef(gitDir, `refs/heads/${branch}`);
    },
  };
}

type Fetch = { action: string; layout: Layout; repo: RepoRef; signal?: AbortSignal | undefined };

/** First what is cheap: a lock that a killed git left. Then, unless the remote is to blame, a new mirror. */
async function fetchOrHeal(door: Door, fetch: Fetch): Promise<void> {
  const { layout } = fetch;
  let ran = await fetchOnce(door, fetch);
  if (ran.code !== 0 && /\.lock'?: File exists|Another git process/i.test(ran.stderr)) {
    await removeLeftovers(layout.mirror);
    ran = await fetchOnce(door, fetch);
  }
  if (ran.code === 0) return;
  if (isOutsideTrouble(ran.stderr)) throw toFailure({ action: fetch.action, ...ran });
  await rebuildAndFetch(door, fetch, ran.stderr);
}

async function rebuildAndFetch(door: Door, fetch: Fetch, reason = ''): Promise<void> {
  const { layout, repo, action } = fetch;
  door.log.warn({ repo: layout.label, reason: reason.slice(-400) }, 'the mirror is damaged and is made anew');
  await discard(layout.mirror);
  await prepare(layout.mirror, repo.defaultBranch);
  const ran = await fetchOnce(door, fetch);
  if (ran.code !== 0) throw toFailure({ action, ...ran });
}

function fetchOnce(door: Door, { action, layout, signal }: Fetch): Promise<Ran> {
  const { remote, mirror: gitDir } = layout;
  const args = [
    'fetch',
    '--quiet',
    '--prune',
    '--no-tags',
    '--no-write-fetch-head',
    '--',
    remote.url,
    ...REFSPECS,
  ];
  return door.run({ action, args, gitDir, remote, signal });
}

async function prepare(gitDir: string, defaultBranch: string): Promise<void> {
  const shape = { head: defaultBranch, bare: true };
  if (!(await looksWhole(gitDir))) {
    await discard(gitDir);
    await writeSkeleton(gitDir, shape);
  }
  await writeFile(join(gitDir, 'config'), buildConfig(shape));
}

async function looksWhole(gitDir: string): Promise<boolean> {
  const found = await Promise.all(
    ['.', 'objects', 'refs'].map((name) => lstatOrUndefined(join(gitDir, name))),
  );
  const head = await lstatOrUndefined(join(gitDir, 'HEAD'));
  return head?.isFile() === true && found.every((entry) => entry?.isDirectory() === true);
}

/** Locks, and packs that were never finished. Only the holder of the mirror's claim may do this. */
async function removeLeftovers(gitDir: string): Promise<void> {
  const names = await readdir(gitDir, { recursive: true }).catch(() => []);
  for (const name of names) {
    const path = join(gitDir, name);
    // A fetch that outlived its worker may still be writing its pack; an hour later it is not.
    if (name.endsWith('.lock') || (/\/tmp_[^/]*$/.test(name) && (await isOld(path))))
      await rm(path, { force: true });
  }
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > HOUR_MS;
}

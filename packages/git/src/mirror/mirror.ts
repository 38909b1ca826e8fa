import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { removeTree } from '@mergexo/process';
import type { Layout, RepoRef } from '../base-dir/layout.js';
import { withClaim } from '../base-dir/with-claim.js';
import { discard, removeTrash, replaceTree } from '../files/trash.js';
import type { Door } from '../repository/git-tools.js';
import { readRef } from '../repository/read-ref.js';
import { buildConfig, lstatOrUndefined, writeSkeleton } from '../repository/write-skeleton.js';
import type { Ran } from '../run/run-git.js';
import { isOutsideTrouble, toFailure } from '../run/to-failure.js';
import { removeIfOld, TEMPORARY, tidyMirror } from './tidy-mirror.js';

const REFSPECS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];

/** Where the remote's branch stands; null if there is none. */
export type ReadHead = (branch: string) => Promise<string | null>;

export type Mirror = {
  /** Fetches, then looks at what is there before anybody else can change it. */
  look<T>(signal: AbortSignal | undefined, work: (readHead: ReadHead) => Promise<T>): Promise<T>;
  /** For damage that a fetch does not notice. */
  rebuild(signal?: AbortSignal): Promise<void>;
};

/** The bare copy that slots borrow from. Branches come and go with the remote; objects only come. */
export function openMirror(door: Door, layout: Layout, repo: RepoRef): Mirror {
  const gitDir = layout.mirror;
  const action = `fetching ${layout.label}`;
  const alone = <T>(signal: AbortSignal | undefined, work: (fetch: Fetch) => Promise<T>): Promise<T> => {
    const wait = { action, limitMs: door.limits.waitMs, signal };
    return withClaim(layout.claim('mirror'), wait, async ({ afterCrash }) => {
      if (afterCrash)
        await Promise.all([
          removeLeftovers(gitDir),
          removeTree(besides(gitDir)),
          removeTrash(dirname(gitDir)),
        ]);
      await prepare(gitDir, repo.defaultBranch);
      const result = await work({ action, layout, repo, signal });
      await tidyMirror(door, gitDir, signal);
      return result;
    });
  };
  // Its format is ours, written by `writeSkeleton`, so there is no need to ask git.
  const readHead: ReadHead = (branch) => readRef(gitDir, `refs/heads/${branch}`);
  return {
    look: (signal, work) =>
      alone(signal, async (fetch) => {
        await fetchOrHeal(door, fetch);
        return work(readHead);
      }),
    rebuild: (signal) => alone(signal, (fetch) => rebuildAndFetch(door, fetch)),
  };
}

type Fetch = { action: string; layout: Layout; repo: RepoRef; signal?: AbortSignal | undefined };

/** First what is cheap: a lock that a killed git left. Then, unless the remote is to blame, a new mirror. */
async function fetchOrHeal(door: Door, fetch: Fetch): Promise<void> {
  const { layout } = fetch;
  let ran = await fetchInto(layout.mirror, door, fetch);
  if (ran.code !== 0 && /\.lock'?: File exists|Another git process/i.test(ran.stderr)) {
    await removeLeftovers(layout.mirror);
    ran = await fetchInto(layout.mirror, door, fetch);
  }
  if (ran.code === 0) return;
  if (isOutsideTrouble(ran.stderr)) throw toFailure({ action: fetch.action, ...ran });
  await rebuildAndFetch(door, fetch, ran.stderr);
}

/**
 * Beside the old one, which goes only when the new one is complete: others borrow from it, and what looked like damage may
 * have been trouble of the remote.
 */
async function rebuildAndFetch(door: Door, fetch: Fetch, reason = ''): Promise<void> {
  const { layout, repo, action } = fetch;
  door.log.warn({ repo: layout.label, reason: reason.slice(-400) }, 'the mirror is damaged and is made anew');
  const fresh = besides(layout.mirror);
  await writeSkeleton(fresh, { head: repo.defaultBranch, bare: true });
  try {
    const ran = await fetchInto(fresh, door, fetch);
    if (ran.code !== 0) throw toFailure({ action, ...ran });
    await replaceTree(layout.mirror, fresh);
  } finally {
    await removeTree(fresh);
  }
}

/** No repository has such a name. */
const besides = (mirror: string): string => `${mirror}~new`;

function fetchInto(gitDir: string, door: Door, { action, layout, signal }: Fetch): Promise<Ran> {
  const { remote } = layout;
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
  const [path, config] = [join(gitDir, 'config'), buildConfig(shape)];
  // Others may be reading it.
  if ((await readFile(path, 'utf8').catch(() => '')) !== config) await writeFile(path, config);
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
    if (name.endsWith('.lock')) await rm(path, { force: true });
    else if (name.startsWith('objects/') && TEMPORARY.test(basename(name))) await removeIfOld(path);
  }
}

import fs from 'node:fs/promises';
import path from 'node:path';
import { askGit, runGit } from './run-git.js';

export type Refs = Record<string, string>;

const SETTLED_MS = 100;

type Seen = { refs: Refs; signature: string; directories: string[]; trusted: boolean };

/**
 * Reads branches and tags, asking git only when a directory under `refs` or `packed-refs` has moved: every ref
 * update renames a lock file, which moves its directory's mtime. A fresh mtime is not trusted, because two
 * updates may share one tick of the file system's clock.
 */
export function createRefReader(dir: string): () => Promise<Refs> {
  let seen: Seen | undefined;
  return async () => {
    if (seen?.trusted && (await sign(dir, seen.directories)).signature === seen.signature) return seen.refs;
    const directories = await listDirectories(dir);
    const { signature, newestMs } = await sign(dir, directories);
    const refs = await readRefs(dir);
    seen = { refs, signature, directories, trusted: Date.now() - newestMs > SETTLED_MS };
    return refs;
  };
}

export async function readRefs(dir: string): Promise<Refs> {
  const format = '--format=%(refname) %(objectname)';
  const text = await runGit(dir, ['for-each-ref', format, 'refs/heads', 'refs/tags']);
  const pairs = text.split('\n').filter(Boolean);
  return Object.fromEntries(pairs.map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(-40)]));
}

/** False when the ref was no longer at `before`: somebody else was faster. An absent ref is `null`. */
export async function moveRef(
  dir: string,
  ref: string,
  change: { before: string | null; after: string | null },
) {
  const zero = '0'.repeat(40);
  const command = `update ${ref}\0${change.after ?? zero}\0${change.before ?? zero}\0`;
  const result = await askGit(dir, ['update-ref', '-z', '--stdin'], { input: command });
  return result.code === 0;
}

/** Without a look at what was there: for refs that only the twin writes. */
export async function setRef(dir: string, ref: string, sha: string): Promise<void> {
  await runGit(dir, ['update-ref', ref, sha]);
}

async function listDirectories(dir: string): Promise<string[]> {
  const found: string[] = [];
  const queue = ['refs', 'refs/heads', 'refs/tags'];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    found.push(next);
    if (next === 'refs') continue;
    const entries = await fs.readdir(path.join(dir, next), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) queue.push(`${next}/${entry.name}`);
  }
  return found;
}

async function sign(dir: string, directories: string[]): Promise<{ signature: string; newestMs: number }> {
  const stamps = await Promise.all(
    [...directories, 'packed-refs'].map((name) =>
      fs.stat(path.join(dir, name), { bigint: true }).then(
        (stats) => stats.mtimeNs,
        () => 0n,
      ),
    ),
  );
  return {
    signature: stamps.join(),
    newestMs: Math.max(...stamps.map((stamp) => Number(stamp / 1_000_000n))),
  };
}

import fs from 'node:fs/promises';
import path from 'node:path';
import { askGit } from './run-git.js';

export type Refs = Record<string, string>;

const SETTLED_MS = 100;

type Seen = { refs: Refs; signature: string; directories: string[]; trusted: boolean };

/**
 * Reads branches and tags, but only when a directory under `refs` or `packed-refs` has moved: every ref update
 * renames a lock file, which moves its directory's mtime. A fresh mtime is not trusted, because two updates may
 * share one tick of the file system's clock.
 */
export function createRefReader(dir: string): () => Promise<Refs> {
  let seen: Seen | undefined;
  return async () => {
    if (seen?.trusted && (await sign(dir, seen.directories)).signature === seen.signature) return seen.refs;
    const directories = await listDirectories(dir);
    const { signature, newestMs } = await sign(dir, directories);
    const refs = await readRefs(dir, directories);
    seen = { refs, signature, directories, trusted: Date.now() - newestMs > SETTLED_MS };
    return refs;
  };
}

/** As git's files tell, without a process: every request reads them. A ref that has a file is not where it was packed. */
async function readRefs(dir: string, directories: string[]): Promise<Refs> {
  const loose = await Promise.all(
    directories.filter((name) => name !== 'refs').map((name) => readLoose(dir, name)),
  );
  // Git packs a ref before it removes its file, so what has vanished between the two reads stands here.
  const packed = await readText(path.join(dir, 'packed-refs'));
  const lines = packed.split('\n').filter((line) => /^[0-9a-f]{40} refs\/(heads|tags)\//.test(line));
  return Object.fromEntries([...lines.map((line) => [line.slice(41), line.slice(0, 40)]), ...loose.flat()]);
}

async function readLoose(dir: string, directory: string): Promise<[string, string][]> {
  const entries = await fs.readdir(path.join(dir, directory), { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'));
  const found = await Promise.all(
    files.map(async ({ name }): Promise<[string, string]> => {
      const ref = `${directory}/${name}`;
      return [ref, (await readText(path.join(dir, ref))).trim()];
    }),
  );
  return found.filter(([, sha]) => /^[0-9a-f]{40}$/.test(sha));
}

const readText = (file: string): Promise<string> => fs.readFile(file, 'utf8').catch(() => '');

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

/** Replaces whatever was there: for refs that only the twin writes, so git's lock file is not needed. */
export async function setRef(dir: string, ref: string, sha: string): Promise<void> {
  const file = path.join(dir, ref);
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}.lock`;
  await fs.mkdir(path.dirname(file), { recursive: true });
  await fs.writeFile(draft, `${sha}\n`);
  await fs.rename(draft, file);
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

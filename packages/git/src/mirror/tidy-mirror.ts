import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { GitTools } from '../repository/git-tools.js';

// The limits of `git gc --auto`: 6,700 loose objects, estimated from one of 256 folders, or 50 packs.
const MAX_LOOSE_SAMPLE = 27;
const MAX_PACKS = 50;
const HOUR_MS = 3_600_000;

/** Matches git's names for unfinished objects and packs. */
export const TEMPORARY = /^(?:tmp_|\.tmp-)/;

/** Combines small packs and loose objects if there are many. Removes no object, and never makes a fetch fail. */
export async function tidyMirror(tools: GitTools, gitDir: string, signal?: AbortSignal): Promise<void> {
  const packDir = join(gitDir, 'objects/pack');
  const [loose, packs] = await Promise.all([
    readdir(join(gitDir, 'objects/17')).catch(() => []),
    readdir(packDir).catch(() => []),
  ]);
  for (const name of packs) if (TEMPORARY.test(name)) await removeIfOld(join(packDir, name));
  const packCount = packs.filter((name) => name.endsWith('.pack')).length;
  if (loose.length < MAX_LOOSE_SAMPLE && packCount < MAX_PACKS) return;
  const args = ['repack', '-d', '-q', '--geometric=2'];
  const { networkMs: limitMs } = tools.limits;
  const problem = await tools.run({ action: `tidying ${gitDir}`, args, gitDir, signal, limitMs }).then(
    ({ code, stderr }) => (code === 0 ? undefined : stderr),
    (error: unknown) => String(error),
  );
  if (problem !== undefined)
    tools.log.warn(
      { mirror: gitDir, reason: problem.slice(-400) },
      'could not repack a mirror; the next fetch retries',
    );
}

/** Keeps files younger than an hour, because a fetch that outlived its worker may still be writing its pack. */
export async function removeIfOld(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && Date.now() - found.mtimeMs > HOUR_MS) await rm(path, { force: true });
}

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Door } from './door.js';

// As `git gc --auto`: one of 256 folders stands for all of them, at 6,700 loose objects or 50 packs.
const MAX_LOOSE_SAMPLE = 27;
const MAX_PACKS = 50;

/** Now and then rolls small packs and loose objects up into larger packs. Drops nothing, reachable or not. */
export async function tidyMirror(door: Door, gitDir: string, signal?: AbortSignal): Promise<void> {
  const [loose, packs] = await Promise.all([
    readdir(join(gitDir, 'objects/17')).catch(() => []),
    readdir(join(gitDir, 'objects/pack')).catch(() => []),
  ]);
  const packCount = packs.filter((name) => name.endsWith('.pack')).length;
  if (loose.length < MAX_LOOSE_SAMPLE && packCount < MAX_PACKS) return;
  const args = ['repack', '-d', '-q', '--geometric=2'];
  const ran = await door.run({ action: `tidying ${gitDir}`, args, gitDir, signal });
  if (ran.code !== 0)
    door.log.warn({ mirror: gitDir, stderr: ran.stderr.slice(-400) }, 'a mirror could not be tidied');
}

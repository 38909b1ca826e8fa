import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@mergexo/process';
import { findObstacle, readInside } from '../files/read-inside.js';
import type { Invalid } from '../run/refuse.js';
import { runStaged, type Staging } from './staging.js';

type Copied = { kind: 'copied' } | { kind: 'too-large'; bytes: number } | Invalid;

const OBJECTS = '.git/objects';
const MAX_OBJECTS = 50_000;
/** Git creates a new pack index, because the agent's own is not trusted. */
const INDEX_PACK = ['index-pack', '--stdin', '--fix-thin'];

/**
 * Copies only the objects that the agent made: no alternates, which could be another repository's objects, and no
 * grafts, shallow boundaries, indexes or links.
 */
export async function copyObjects(staging: Staging): Promise<Copied> {
  const { slot } = staging.tree;
  const maxBytes = staging.limits.slotBytes;
  const names = await listObjects(staging);
  if (names.length > MAX_OBJECTS) return { kind: 'too-large', bytes: maxBytes };
  let bytes = 0;
  for (const name of names) {
    const found = await readInside(slot, `${OBJECTS}/${name}`, maxBytes - bytes);
    if (found.kind === 'too-large') return { kind: 'too-large', bytes: bytes + found.bytes };
    if (found.kind !== 'read') continue;
    bytes += found.content.length;
    if (name.endsWith('.pack')) {
      const added = await runStaged(staging, { args: INDEX_PACK, input: found.content });
      if (added.kind === 'invalid') return added;
    } else await writeFile(join(staging.gitDir, 'objects', name), found.content, { flag: 'wx' });
  }
  return { kind: 'copied' };
}

async function listObjects({ tree: { slot }, gitDir }: Staging): Promise<string[]> {
  const folders = (await listNames(slot, [])).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const loose = await Promise.all(folders.map((folder) => listLoose(slot, folder)));
  await Promise.all(folders.map((folder) => mkdir(join(gitDir, 'objects', folder), { mode: 0o700 })));
  const packs = (await listNames(slot, ['pack'])).filter((name) => /^pack-[0-9a-f]+\.pack$/.test(name));
  return [...loose.flat(), ...packs.map((name) => `pack/${name}`)];
}

async function listLoose(slot: string, folder: string): Promise<string[]> {
  const names = await listNames(slot, [folder]);
  return names
    .filter((name) => /^[0-9a-f]{38}(?:[0-9a-f]{24})?$/.test(name))
    .map((name) => `${folder}/${name}`);
}

async function listNames(slot: string, folders: readonly string[]): Promise<string[]> {
  const path = [...OBJECTS.split('/'), ...folders];
  if ((await findObstacle(slot, path)) !== undefined) return [];
  try {
    return await readdir(join(slot, ...path));
  } catch (error) {
    // The agent removed the read permission. The checks of the commits report the missing objects.
    if (codeOf(error) === 'EACCES') return [];
    throw error;
  }
}

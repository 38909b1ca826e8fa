import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@mergexo/process';
import { findObstacle, readInside } from '../files/read-inside.js';
import { refuse } from '../run/refuse.js';
import type { RunGit } from '../run/run-git.js';

export type Copy = { slot: string; staging: string; maxBytes: number; signal: AbortSignal };
export type Copied =
  | { kind: 'copied' }
  | { kind: 'too-large'; bytes: number }
  | { kind: 'invalid'; reason: string };

const OBJECTS = '.git/objects';
const MAX_OBJECTS = 50_000;

/**
 * Brings over the objects that the agent made, and nothing but objects: borrowed stores, which could be another
 * repository's, grafts, shallow borders, indexes and links stay behind.
 */
export async function copyObjects(run: RunGit, copy: Copy): Promise<Copied> {
  const names = await listObjects(copy);
  if (names.length > MAX_OBJECTS) return { kind: 'too-large', bytes: copy.maxBytes };
  let bytes = 0;
  for (const name of names) {
    const found = await readInside(copy.slot, `${OBJECTS}/${name}`, copy.maxBytes - bytes);
    if (found.kind === 'too-large') return { kind: 'too-large', bytes: bytes + found.bytes };
    if (found.kind !== 'read') continue;
    bytes += found.content.length;
    if (name.endsWith('.pack')) {
      const refusal = await addPack(run, copy, found.content);
      if (refusal !== undefined) return refusal;
    } else await writeFile(join(copy.staging, 'objects', name), found.content, { flag: 'wx' });
  }
  return { kind: 'copied' };
}

async function listObjects({ slot, staging }: Copy): Promise<string[]> {
  const folders = (await listNames(slot, [])).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const loose = await Promise.all(folders.map((folder) => listLoose(slot, folder)));
  await Promise.all(folders.map((folder) => mkdir(join(staging, 'objects', folder), { mode: 0o700 })));
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
    // The agent closed it: what it hides is missing, and that is found out.
    if (codeOf(error) === 'EACCES') return [];
    throw error;
  }
}

/** Indexed anew: the agent's own index could say anything. */
async function addPack(
  run: RunGit,
  { slot, staging, signal }: Copy,
  input: Buffer,
): Promise<Copied | undefined> {
  const action = `reading a pack of ${slot}`;
  const args = ['index-pack', '--stdin', '--fix-thin'];
  const ran = await run({ action, args, gitDir: staging, input, signal });
  return ran.code === 0 ? undefined : refuse(action, ran);
}

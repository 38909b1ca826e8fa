import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@mergexo/process';
import { findObstacle, readInside } from '../files/read-inside.js';
import { writeSkeleton } from '../repository/write-skeleton.js';
import type { Invalid } from '../run/refuse.js';
import { runStaged, type Staging } from './staging.js';

type Copied = { kind: 'copied' } | { kind: 'too-large'; bytes: number } | Invalid;

const OBJECTS = '.git/objects';
const MAX_OBJECTS = 50_000;
/** MergeXO starts a process for each pack. An agent usually makes one or two packs. */
const MAX_PACKS = 100;
/** Git creates a new pack index, because the agent's index is not trusted. */
const INDEX_PACK = ['index-pack', '--stdin', '--fix-thin'];
const PACK = ['pack-objects', '--stdout', '--window=0', '--quiet'];

/**
 * Copies only the objects that the agent made: no alternates, which could be another repository's objects,
 * and no grafts, shallow boundaries, indexes or links. Git computes the id of every object from its content.
 * The agent chooses the names of its files, so it could otherwise replace published objects.
 */
export async function copyObjects(staging: Staging): Promise<Copied> {
  const { slot } = staging.tree;
  const maxBytes = staging.limits.slotBytes;
  const loose = await openLoose(staging);
  const names = await listObjects(staging, loose.gitDir);
  if (names.length > MAX_OBJECTS) return { kind: 'too-large', bytes: maxBytes };
  if (names.filter((name) => name.endsWith('.pack')).length > MAX_PACKS)
    return { kind: 'invalid', reason: `the checkout's repository has more than ${MAX_PACKS} packs` };
  let bytes = 0;
  for (const name of names) {
    const found = await readInside(slot, `${OBJECTS}/${name}`, maxBytes - bytes);
    if (found.kind === 'too-large') return { kind: 'too-large', bytes: bytes + found.bytes };
    if (found.kind !== 'read') continue;
    bytes += found.content.length;
    if (name.endsWith('.pack')) {
      const added = await runStaged(staging, { args: INDEX_PACK, input: found.content });
      if (added.kind === 'invalid') return added;
    } else await writeFile(join(loose.gitDir, 'objects', name), found.content, { flag: 'wx' });
  }
  return addLoose(
    staging,
    loose,
    names.filter((name) => !name.endsWith('.pack')),
  );
}

/** Creates a separate repository for the agent's loose objects. Git must not read them anywhere else. */
async function openLoose(staging: Staging): Promise<Staging> {
  const gitDir = join(staging.gitDir, 'loose.git');
  await writeSkeleton(gitDir, { head: 'none', bare: true });
  return { ...staging, gitDir };
}

/** Packs the loose objects and adds the pack like any other. An object with a false name gets its true id. */
async function addLoose(staging: Staging, loose: Staging, names: readonly string[]): Promise<Copied> {
  if (names.length === 0) return { kind: 'copied' };
  const input = Buffer.from(names.map((name) => `${name.replace('/', '')}\n`).join(''));
  const packed = await runStaged(loose, { args: PACK, input });
  if (packed.kind === 'invalid') return packed;
  const added = await runStaged(staging, { args: INDEX_PACK, input: packed.stdout });
  return added.kind === 'invalid' ? added : { kind: 'copied' };
}

async function listObjects({ tree: { slot } }: Staging, gitDir: string): Promise<string[]> {
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
    // The agent removed the read permission. The checks on the commits report the missing objects.
    if (codeOf(error) === 'EACCES') return [];
    throw error;
  }
}

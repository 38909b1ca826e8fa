import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readCreated } from '../checkout/exclude-created.js';
import { removeSpecialFiles } from '../checkout/remove-special-files.js';
import { listSubmodules, unnest } from '../checkout/unnest.js';
import { type Invalid, refuse } from '../run/refuse.js';
import { mustRun, type Ran, runIn } from '../run/run-git.js';
import type { Staging } from './staging.js';

type Leftovers =
  | { kind: 'none' }
  | { kind: 'tree'; tree: string }
  | { kind: 'too-large'; bytes: number }
  | Invalid;

// Maximum depth of nested repositories.
const MAX_ROUNDS = 20;
const MAX_CHANGED = 50_000;

/**
 * Writes the slot's files as a tree; `none` if they equal the agent's last commit. Never uses the slot's git
 * directory.
 */
export async function gatherLeftovers(staging: Staging, head: string): Promise<Leftovers> {
  await removeSpecialFiles(staging.tree.slot, staging.limits.slotFiles);
  const read = await readIndex(staging, head);
  const action = describe(staging);
  if (read.code !== 0) return refuse(action, read);
  await unnest(staging.tree.slot, await listSubmodules(staging, staging.tree));
  const isCreated = await readCreated(staging.tree.trusted);
  const found = await listChanged(staging);
  if (found === undefined)
    return {
      kind: 'invalid',
      reason: `a repository contains more than ${MAX_ROUNDS} others, one inside the other`,
    };
  const changed = found.filter((path) => !isCreated(path));
  if (changed.length === 0) return { kind: 'none' };
  const { slotBytes } = staging.limits;
  if (changed.length > MAX_CHANGED) return { kind: 'too-large', bytes: slotBytes };
  const bytes = await measure(staging.tree.slot, changed);
  if (bytes > slotBytes) return { kind: 'too-large', bytes };
  const added = await ask(staging, ['add', '--all', '--ignore-errors']);
  if (added.code > 1 || added.code < 0) return refuse(action, added);
  if (added.code === 1) {
    const fields = { repo: staging.tree.label, stderr: added.stderr.slice(0, 400) };
    staging.log.warn(fields, 'some files of the slot cannot be committed; MergeXO skips them');
  }
  if (changed.length < found.length) await dropCreated(staging, head, isCreated);
  const written = await ask(staging, ['write-tree']);
  if (written.code !== 0) return refuse(action, written);
  return { kind: 'tree', tree: written.stdout.toString().trim() };
}

/**
 * Reads the head into the index. Keeps the old index unless it is damaged, because its file times let git
 * skip unchanged files.
 */
async function readIndex(staging: Staging, head: string): Promise<Ran> {
  const warm = await ask(staging, ['read-tree', '-m', head]);
  if (warm.code === 0) return warm;
  const index = join(staging.tree.trusted, 'index');
  await Promise.all([index, `${index}.lock`].map((path) => rm(path, { force: true })));
  return ask(staging, ['read-tree', head]);
}

/** Removes files of setup that `git add` added, because a `.gitignore` has precedence over MergeXO's exclude list. */
async function dropCreated(
  staging: Staging,
  head: string,
  isCreated: (path: string) => boolean,
): Promise<void> {
  const args = ['diff-index', '--cached', '--name-only', '--no-renames', '--diff-filter=A', '-z', head];
  const added = (await mustAsk(staging, args)).toString('latin1').split('\0').filter(Boolean);
  const dropped = added.filter(isCreated).map((path) => `${path}\0`);
  const input = Buffer.from(dropped.join(''), 'latin1');
  await mustAsk(staging, ['update-index', '-z', '--force-remove', '--stdin'], input);
}

/**
 * Lists changed, deleted and new files. Turns repositories that the agent made in the slot into
 * plain directories. Undefined if too many of them are nested.
 */
async function listChanged(staging: Staging): Promise<string[] | undefined> {
  for (let round = 0; ; round += 1) {
    const args = ['ls-files', '-z', '--modified', '--others', '--exclude-standard'];
    const stdout = await mustAsk(staging, args);
    const paths = stdout.toString('latin1').split('\0').filter(Boolean);
    const nested = paths.filter((path) => path.endsWith('/'));
    if (nested.length === 0) return paths;
    if (round === MAX_ROUNDS) return undefined;
    await unnest(
      staging.tree.slot,
      nested.map((path) => path.slice(0, -1)),
    );
  }
}

async function measure(slot: string, paths: readonly string[]): Promise<number> {
  const top = Buffer.from(`${slot}/`).toString('latin1');
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const stats = await lstat(Buffer.from(top + path, 'latin1')).catch(() => undefined);
      return stats?.isFile() ? stats.size : 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const describe = ({ tree }: Staging): string => `collecting the files of ${tree.slot}`;

function toCommand(staging: Staging, args: string[], input?: Buffer) {
  const { slot, trusted } = staging.tree;
  const command = { action: describe(staging), args, workTree: slot, indexFile: join(trusted, 'index') };
  return { ...command, ...(input && { input }) };
}

const ask = (staging: Staging, args: string[]): Promise<Ran> => runIn(staging, toCommand(staging, args));
const mustAsk = (staging: Staging, args: string[], input?: Buffer): Promise<Buffer> =>
  mustRun(staging, toCommand(staging, args, input));

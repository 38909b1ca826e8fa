import { mkdirSync, readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, mayBeAlive, referToSelf } from '@mergexo/process';

export type Claim = {
  /** The previous owner died without releasing the claim, so its work may be half done. */
  afterCrash: boolean;
  release(): void;
};

type Entry = { generation: number; owner: string };

const FREE = 'free';
// A listing of so few names is one system call, so a reader always sees at least one.
const KEPT_ENTRIES = 16;

/**
 * Ownership that ends with its process. The directory is a log of symbolic links 1, 2, 3 …, whose targets name an owner
 * or say `free`; the newest entry decides. Creating a link is atomic and never replaces another, so of several claimants
 * after a dead owner exactly one writes the next entry. The newest entry is never removed: numbers only grow.
 */
export function tryClaim(dir: string): Claim | undefined {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const newest = readNewest(dir);
  if (newest.owner !== FREE && isAlive(newest.owner)) return undefined;
  const generation = newest.generation + 1;
  if (!append(dir, { generation, owner: describeSelf() })) return undefined;
  // A claimant that paused after reading may write a number that was removed meanwhile. It finds newer ones and loses.
  if (readNewest(dir).generation !== generation) {
    remove(dir, generation);
    return undefined;
  }
  removeOld(dir, generation);
  return {
    afterCrash: newest.owner !== FREE,
    release: () => void append(dir, { generation: generation + 1, owner: FREE }),
  };
}

function listGenerations(dir: string): number[] {
  return readdirSync(dir)
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number);
}

function readNewest(dir: string): Entry {
  const generation = Math.max(0, ...listGenerations(dir));
  if (generation === 0) return { generation, owner: FREE };
  try {
    return { generation, owner: readlinkSync(join(dir, String(generation))) };
  } catch (error) {
    // Removed between the two calls, so there are newer entries.
    if (codeOf(error) === 'ENOENT') return readNewest(dir);
    throw error;
  }
}

function append(dir: string, { generation, owner }: Entry): boolean {
  try {
    symlinkSync(owner, join(dir, String(generation)));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeOld(dir: string, newest: number): void {
  for (const generation of listGenerations(dir)) {
    if (generation <= newest - KEPT_ENTRIES) remove(dir, generation);
  }
}

function remove(dir: string, generation: number): void {
  try {
    unlinkSync(join(dir, String(generation)));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

let self: string | undefined;

function describeSelf(): string {
  if (self === undefined) {
    const { pid, identity } = referToSelf();
    self = `${pid} ${identity}`;
  }
  return self;
}

function isAlive(owner: string): boolean {
  const [pid = '', ...identity] = owner.split(' ');
  return mayBeAlive({ pid: Number(pid), identity: identity.join(' ') });
}

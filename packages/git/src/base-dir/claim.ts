import { mkdirSync, readdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, mayBeAlive, referToSelf } from '@mergexo/process';
import { stoppedFailure, timedOutFailure } from '../run/to-failure.js';
import type { Layout } from './layout.js';

export type Claim = {
  /** True if the previous owner died without releasing the claim, so its work may be half done. */
  afterCrash: boolean;
  release(): void;
};

type Entry = { generation: number; owner: string };

const FREE = 'free';
// One system call lists a directory with so few names, so a reader always sees at least one of them.
const KEPT_ENTRIES = 16;

/**
 * Takes ownership that ends with the process. The directory is a log of symbolic links 1, 2, 3 …, whose targets name an
 * owner or `free`; the newest entry decides. Creating a link is atomic and never replaces another link, so if several
 * processes claim after a dead owner, exactly one writes the next entry. The newest entry is never removed, so numbers
 * only grow.
 */
export function tryClaim(dir: string): Claim | undefined {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const newest = readNewest(dir);
  if (newest.owner !== FREE && isAlive(newest.owner)) return undefined;
  const generation = newest.generation + 1;
  if (!append(dir, { generation, owner: describeSelf() })) return undefined;
  // A claimant that paused after reading may write a number that was removed in the meantime. Newer entries then win.
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
    // The entry was removed between the two calls, so there are newer entries.
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

type ClaimWait = { action: string; limitMs: number; signal?: AbortSignal | undefined };

/** Runs the work while this process holds the claim on the directory. */
export async function withClaim<T>(
  dir: string,
  wait: ClaimWait,
  work: (claim: Claim) => Promise<T>,
): Promise<T> {
  const claim = await waitForClaim(dir, wait);
  try {
    return await work(claim);
  } finally {
    claim.release();
  }
}

async function waitForClaim(dir: string, { action, limitMs, signal }: ClaimWait): Promise<Claim> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    if (signal?.aborted) throw stoppedFailure(action);
    const claim = tryClaim(dir);
    if (claim !== undefined) return claim;
    if (performance.now() > deadline)
      throw timedOutFailure(`${action}: waiting for another process`, limitMs);
    // Random delays keep several waiting processes from polling at the same moment.
    await sleep(10 + Math.random() * 40);
  }
}

export type Lease = { number: number; claim: Claim };

/** Leases the first number that no living process holds. */
export function leaseNumber(layout: Layout, purpose: 'worker' | 'publisher'): Lease {
  for (let number = 1; ; number += 1) {
    const claim = tryClaim(layout.claim(`${purpose}-${number}`));
    if (claim !== undefined) return { number, claim };
  }
}

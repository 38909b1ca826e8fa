import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLog } from '@mergexo/core/basics';
import { createGit } from '../create-git.js';
import { createRunGit } from '../run/run-git.js';
import { AUTHOR, commit, git, makeRemote, SEARCH_PATH, write } from './shell.js';

const [FILES, COMMITS, ROUNDS, TIMES_FASTER] = [5_000, 30, 15, 4];
const REQUEST = { branch: 'agent/bugfix/1-x', startSha: null, baseBranch: 'main' };
const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Alternates restores and clones, so that both run under the same load, and compares their medians. */
async function main(dir: string): Promise<void> {
  const remote = makeBigRemote(dir);
  const shared = {
    baseDir: join(dir, 'base'),
    searchPath: SEARCH_PATH,
    credential: async () => undefined,
  };
  const repo = { owner: 'acme', name: 'big', remoteUrl: remote, defaultBranch: 'main' };
  const slot = await createGit({ ...shared, log: silentLog }).leaseSlot(repo, {
    author: AUTHOR,
    signal: new AbortController().signal,
  });
  await slot.restore(REQUEST);
  const run = createRunGit({ ...shared, limits: { localMs: 60_000, networkMs: 60_000, outputBytes: 1e9 } });
  const mirror = { url: slot.mirrorPath, protocol: 'file', origin: undefined } as const;
  const target = join(dir, 'fresh');
  const [restores, clones]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    useSlot(slot.path, round);
    restores.push(await measure(() => slot.restore(REQUEST)));
    const args = ['clone', '--quiet', slot.mirrorPath, target];
    clones.push(await measure(() => run({ action: 'cloning', args, remote: mirror })));
    rmSync(target, { recursive: true });
  }
  await slot.release();
  report(medianOf(restores), medianOf(clones));
}

/** Imitates source files: 6 KB on average, with words that compress about as well as source code. */
function makeBigRemote(dir: string): string {
  const files = Array.from({ length: FILES }, (_, index) => [nameOf(index), writeSource(index)]);
  const { remote, clone } = makeRemote(dir, Object.fromEntries(files));
  for (let index = 0; index < COMMITS; index += 1)
    commit(clone, { [nameOf(index)]: writeSource(FILES + index) });
  git(clone, 'push', '-q', 'origin', 'main');
  return remote;
}

const nameOf = (index: number): string => `src/module-${index % 25}/part-${index % 250}/file-${index}.ts`;

function writeSource(seed: number): string {
  let random = seed + 1;
  const next = (below: number): number => {
    random = (random * 48_271) % 2_147_483_647;
    return random % below;
  };
  const line = () => Array.from({ length: 6 }, () => next(46_656).toString(36)).join(' ');
  return Array.from({ length: 40 + next(400) }, line).join('\n');
}

/** Changes a slot as a turn does, with edits, new files, build output and deletions. */
function useSlot(path: string, round: number): void {
  const edited = Array.from({ length: 20 }, (_, index) => [
    `src/folder-${index}/file-${index + 50}.txt`,
    `${round}\n`,
  ]);
  write(path, { ...Object.fromEntries(edited), 'src/new.txt': 'new\n', 'build/out.js': 'built\n' });
  rmSync(join(path, nameOf(1)));
}

async function measure(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function report(warm: number, fresh: number): void {
  say(`${FILES} files, ${COMMITS + 1} commits, medians of ${ROUNDS} rounds`);
  say(`slot restore, warm, fetch and cleaning included: ${warm.toFixed(1)} ms`);
  say(`fresh clone from the mirror: ${fresh.toFixed(1)} ms`);
  say(`ratio: ${(fresh / warm).toFixed(2)}, required: ${TIMES_FASTER}`);
  if (!(fresh / warm >= TIMES_FASTER)) process.exitCode = 1;
}

// Uses the project's directory, because a temporary directory may be in memory, where a clone is almost free.
const dir = mkdtempSync(fileURLToPath(new URL('./bench-', import.meta.url)));
try {
  await main(dir);
} finally {
  rmSync(dir, { recursive: true, force: true });
}

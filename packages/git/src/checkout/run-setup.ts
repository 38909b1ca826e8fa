import { chmod, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findObstacle } from '../files/read-inside.js';
import { writeInside } from '../files/write-inside.js';
import type { GitTools } from '../repository/git-tools.js';
import { readSlotHead } from '../repository/read-slot-head.js';
import { excludeCreated } from './exclude-created.js';
import { restoreTracked, type WorkingTree } from './working-tree.js';

export type SetupRequest = {
  /** The commit or tree whose files are in the slot. */
  sha: string;
  /** The program to run, with the content from the base branch. */
  program: { path: string; content: Buffer };
};

export type SetupRun<T> = { kind: 'ran'; result: T } | { kind: 'refused'; reason: string };

type SetupTools = GitTools & { tree: WorkingTree; signal: AbortSignal };

/**
 * Runs the repository's setup program in the slot. Keeps the files that setup creates, but excludes them from commits,
 * and restores the tracked files that it changes.
 */
export async function runSetup<T>(
  tools: SetupTools,
  { sha, program }: SetupRequest,
  run: () => Promise<T>,
): Promise<SetupRun<T>> {
  const { tree, signal } = tools;
  // The branch may contain another version of the program, or a link in its place.
  const placed = await writeInside(tree.slot, program.path, program.content);
  if (placed.kind === 'refused') return { kind: 'refused', reason: `${program.path}: ${placed.reason}` };
  await chmod(join(tree.slot, program.path), 0o755);
  const head = await readSlotHead(tree.slot);
  const result = await run();
  const after = await readSlotHead(tree.slot);
  if (after !== head)
    return { kind: 'refused', reason: `it moved the checkout's HEAD from ${head} to ${after}` };
  await restoreTracked(tools, tree, { sha, signal });
  await removeProgram(tools, { sha, path: program.path });
  if (await excludeCreated(tools, tree, signal)) return { kind: 'ran', result };
  return { kind: 'refused', reason: 'it created more than 10,000 files outside folders of its own' };
}

/** Removes the program if the commit does not contain it, so that the agent can add a file with the same name. */
async function removeProgram(
  { tree, signal, run, listTrackedFiles }: SetupTools,
  { sha, path }: { sha: string; path: string },
): Promise<void> {
  const { entries } = await listTrackedFiles({ run, gitDir: tree.trusted, signal }, sha);
  const folders = dirname(path) === '.' ? [] : dirname(path).split('/');
  if (entries.has(Buffer.from(path).toString('latin1'))) return;
  if ((await findObstacle(tree.slot, folders)) === undefined)
    await rm(join(tree.slot, path), { recursive: true, force: true });
}

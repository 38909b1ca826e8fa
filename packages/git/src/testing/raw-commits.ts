import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRedact, neutraliseText } from '@mergexo/core/text';
import type { Slot } from '../slot/slot.js';
import { commit, git } from './shell.js';
import type { World } from './world.js';

/** GitHub's own example of a token, with a valid checksum. */
export const TOKEN = `ghp_${'zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ'}${'0mLq17'}`;
/** A secret that the worker knows. */
export const PASSWORD = 'k3-correct-horse-battery';
export const CREDIT = 'MergeXO-Agent: codex';

const redact = createRedact([PASSWORD]);
export const cleanMessage = (text: string): string => neutraliseText(redact(text));

type Files = Readonly<Record<string, string>>;

/** Commits the files on a branch of the agent, merges the branch, and leaves the merge uncommitted. */
export function startMerge(slot: Slot, files: Files): void {
  git(slot.path, 'checkout', '-q', '-b', 'side');
  commit(slot.path, files);
  git(slot.path, 'checkout', '-q', '-');
  commit(slot.path, { 'main.txt': 'x\n' });
  git(slot.path, 'merge', '-q', '--no-ff', '--no-commit', 'side');
}

/** Writes the object without any of git's checks, and returns its id. */
export function writeRaw(
  world: World,
  slot: Slot,
  { type, content }: { type: string; content: string | Buffer },
) {
  writeFileSync(join(world.dir, 'raw'), content);
  return git(slot.path, 'hash-object', '-t', type, '-w', '--literally', join(world.dir, 'raw'));
}

/** Makes this commit the agent's HEAD. */
export function commitRaw(world: World, slot: Slot, content: string | Buffer): void {
  git(slot.path, 'update-ref', 'HEAD', writeRaw(world, slot, { type: 'commit', content }));
}

/** The headers of a child of the agent's HEAD with the same files, by another author. */
export function headersOf(slot: Slot, more = ''): string {
  const tree = git(slot.path, 'rev-parse', 'HEAD^{tree}');
  const parent = git(slot.path, 'rev-parse', 'HEAD');
  const who = 'Linus Torvalds <torvalds@example.test> 1 +1400';
  return `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n${more}`;
}

/** Returns the new commits of the trusted repository as git stores them, newest first. */
export function readNew(trusted: string, startSha: string, sha: string): string[] {
  return git(trusted, 'rev-list', sha, `^${startSha}`)
    .split('\n')
    .map((each) => git(trusted, 'cat-file', 'commit', each));
}

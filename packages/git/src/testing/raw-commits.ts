import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Slot } from '../slot/slot.js';
import { git } from './shell.js';
import type { World } from './world.js';

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

/** The headers of a child of the agent's HEAD with the same files, made by somebody else. */
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

import { join } from 'node:path';
import { findObstacle } from '../files/read-inside.js';
import { isBranchName } from '../run/check-names.js';
import { readRef, readText, toSha } from './read-ref.js';

/**
 * Returns the HEAD of the agent's repository. Reads the files without git, because git would trust the repository's
 * configuration. Null if HEAD cannot be read: no commit yet, a link, or another repository's directory.
 */
export async function readSlotHead(slot: string): Promise<string | null> {
  // The agent may have replaced the slot itself with a link.
  if ((await findObstacle(slot, ['.git'])) !== undefined) return null;
  const gitDir = join(slot, '.git');
  const head = (await readText(gitDir, 'HEAD')) ?? '';
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return toSha(head);
  return isBranchName(ref) ? readRef(gitDir, ref) : null;
}

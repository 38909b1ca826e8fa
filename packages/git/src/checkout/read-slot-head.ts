import { join } from 'node:path';
import { findObstacle } from '../files/read-inside.js';
import { readRef, readText, toSha } from '../repository/read-ref.js';
import { isBranchName } from '../run/check-names.js';

/**
 * The HEAD of the agent's repository, read from its files and not by git, which would trust the repository's
 * configuration. Null if it cannot be read: no commit yet, a link, another repository's directory.
 */
export async function readSlotHead(slot: string): Promise<string | null> {
  // The agent may have replaced the slot itself by a link.
  if ((await findObstacle(slot, ['.git'])) !== undefined) return null;
  const gitDir = join(slot, '.git');
  const head = (await readText(gitDir, 'HEAD')) ?? '';
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return toSha(head);
  return isBranchName(ref) ? readRef(gitDir, ref) : null;
}

import { join } from 'node:path';
import { findObstacle } from '../files/read-inside.js';
import { readRef, readText, toSha } from '../repository/read-ref.js';
import { isBranchName } from '../run/check-names.js';

/**
 * Where the agent's repository says it stands, read from its files and not by git, which would believe its
 * configuration. Null when that cannot be told: no commit yet, a link, another repository's directory.
 */
export async function readSlotHead(slot: string): Promise<string | null> {
  // The slot itself may have become a link to somewhere else.
  if ((await findObstacle(slot, ['.git'])) !== undefined) return null;
  const gitDir = join(slot, '.git');
  const head = (await readText(gitDir, 'HEAD')) ?? '';
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return toSha(head);
  return isBranchName(ref) ? readRef(gitDir, ref) : null;
}

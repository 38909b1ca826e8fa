import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readInside } from '../files/read-inside.js';
import { type Conflict, toConflict } from '../merge/parse-merge.js';
import type { Staging } from './staging.js';

/** Unmerged files of a merge that the agent started and did not finish. An index that git cannot read is ignored. */
export async function findUnmerged({ run, limits, tree, gitDir, signal }: Staging): Promise<Conflict[]> {
  const index = await readInside(tree.slot, '.git/index', limits.slotBytes);
  if (index.kind !== 'read') return [];
  const indexFile = join(gitDir, 'agent-index');
  await writeFile(indexFile, index.content, { mode: 0o600 });
  const args = ['ls-files', '-z', '--unmerged'];
  const ran = await run({
    action: `reading the index of ${tree.slot}`,
    args,
    gitDir,
    indexFile,
    signal,
  });
  if (ran.code !== 0) return [];
  const records = ran.stdout.toString('latin1').split('\0').filter(Boolean);
  const paths = new Set(records.map((record) => record.slice(record.indexOf('\t') + 1)));
  return [...paths].map((path) => toConflict({ path, reason: 'git still lists it as unmerged' }));
}

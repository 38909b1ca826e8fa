import { removeTree } from '@mergexo/process';
import type { ProcessEnd } from '../run/run-process.js';

/**
 * Removes the agent's home if the run used too much disk space. Otherwise the next turn would exceed the limit at once.
 * The agent loses its session, and MergeXO starts a new one.
 */
export async function clearHome(home: string, end: ProcessEnd | undefined): Promise<void> {
  if (end?.kind === 'exceeded' && end.resource === 'diskBytes') await removeTree(home).catch(() => {});
}

import { removeTree } from '@mergexo/process';
import type { Resource } from '../run/resources.js';
import type { ProcessEnd } from '../run/run-process.js';

const FILLING: ReadonlySet<Resource> = new Set(['diskBytes', 'freeDisk']);

/**
 * Removes the agent's home if the run used too much disk space or filled the disk. Otherwise the next turn would exceed
 * the limit at once, and turns of other issues could fail too. The agent loses its session, and MergeXO starts a new one.
 */
export async function clearHome(home: string, end: ProcessEnd | undefined): Promise<void> {
  if (end?.kind === 'exceeded' && FILLING.has(end.resource)) await removeTree(home).catch(() => {});
}

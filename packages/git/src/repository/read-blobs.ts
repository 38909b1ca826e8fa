import { countOf } from '@mergexo/core/text';
import { mustRun, type Repository } from '../run/run-git.js';

// Smaller batches need more processes; larger batches need too much memory.
const BATCH_BYTES = 32 * 1024 * 1024;

/** Reads the blobs one after the other. Skips missing objects and objects of another kind. */
export async function readBlobs(
  repository: Repository,
  ids: readonly string[],
  onBlob: (id: string, content: Buffer) => void,
): Promise<void> {
  for (const batch of await splitBySize(repository, [...new Set(ids)])) {
    const action = `reading ${countOf(batch.length, 'file')}`;
    const input = Buffer.from(`${batch.join('\n')}\n`);
    const stdout = await mustRun(repository, { action, args: ['cat-file', '--batch'], input });
    // Each blob consists of a line with its size, the content, and a line break.
    let at = 0;
    while (at < stdout.length) {
      const end = stdout.indexOf('\n', at);
      const [, id = '', size = '0'] =
        /^([0-9a-f]+) blob (\d+)$/.exec(stdout.subarray(at, end).toString('latin1')) ?? [];
      at = end + 1;
      onBlob(id, stdout.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
  }
}

async function splitBySize(repository: Repository, ids: readonly string[]): Promise<string[][]> {
  if (ids.length === 0) return [];
  const action = `measuring ${ids.length} files`;
  const input = Buffer.from(`${ids.join('\n')}\n`);
  const stdout = await mustRun(repository, { action, args: ['cat-file', '--batch-check'], input });
  const batches: string[][] = [];
  let bytes = 0;
  for (const line of stdout.toString().split('\n')) {
    const [, id = '', size = ''] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
    if (id === '') continue;
    if (batches.length === 0 || bytes + Number(size) > BATCH_BYTES) [bytes] = [0, batches.push([])];
    bytes += Number(size);
    batches.at(-1)?.push(id);
  }
  return batches;
}

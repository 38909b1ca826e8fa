import { countOf } from '@mergexo/core/text';
import { mustRun, type Repository } from '../run/run-git.js';

// Smaller batches need more processes; larger batches need too much memory.
const BATCH_BYTES = 32 * 1024 * 1024;

export type BlobsRequest = {
  ids: readonly string[];
  /** Maximum total size. Reads nothing if the blobs are larger. */
  maxBytes?: number;
};

/**
 * Reads the blobs one after the other, and returns their total size. Skips missing objects and objects of another kind.
 */
export async function readBlobs(
  repository: Repository,
  { ids, maxBytes = Number.POSITIVE_INFINITY }: BlobsRequest,
  onBlob: (id: string, content: Buffer) => void,
): Promise<number> {
  const { batches, totalBytes } = await splitBySize(repository, [...new Set(ids)]);
  if (totalBytes > maxBytes) return totalBytes;
  for (const batch of batches) {
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
  return totalBytes;
}

type Batches = { batches: string[][]; totalBytes: number };

async function splitBySize(repository: Repository, ids: readonly string[]): Promise<Batches> {
  if (ids.length === 0) return { batches: [], totalBytes: 0 };
  const action = `measuring ${ids.length} files`;
  const input = Buffer.from(`${ids.join('\n')}\n`);
  const stdout = await mustRun(repository, { action, args: ['cat-file', '--batch-check'], input });
  const batches: string[][] = [];
  let [bytes, totalBytes] = [0, 0];
  for (const line of stdout.toString().split('\n')) {
    const [, id = '', size = ''] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
    if (id === '') continue;
    if (batches.length === 0 || bytes + Number(size) > BATCH_BYTES) [bytes] = [0, batches.push([])];
    bytes += Number(size);
    totalBytes += Number(size);
    batches.at(-1)?.push(id);
  }
  return { batches, totalBytes };
}

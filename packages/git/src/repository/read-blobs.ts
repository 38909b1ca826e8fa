import { countOf } from '@mergexo/core/text';
import { mustRun, type Repository } from '../run/run-git.js';

// Smaller batches need more processes; larger batches need too much memory.
const BATCH_BYTES = 32 * 1024 * 1024;

export type BlobsRequest = {
  /** An id counts once per occurrence, because a checkout writes each file. */
  ids: readonly string[];
  /** Maximum total size. Reads nothing if the blobs are larger. */
  maxBytes?: number;
  /** Maximum size of one blob. Reads nothing if a blob is larger. */
  maxBlobBytes?: number;
};

export type Sizes = { totalBytes: number; largestBytes: number };

/**
 * Reads the blobs one after the other, and returns their sizes. Skips missing objects and objects of another kind.
 */
export async function readBlobs(
  repository: Repository,
  { ids, maxBytes = Number.POSITIVE_INFINITY, maxBlobBytes = Number.POSITIVE_INFINITY }: BlobsRequest,
  onBlob: (id: string, content: Buffer) => void | Promise<void>,
): Promise<Sizes> {
  const { batches, ...sizes } = await splitBySize(repository, ids);
  if (sizes.totalBytes > maxBytes || sizes.largestBytes > maxBlobBytes) return sizes;
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
      await onBlob(id, stdout.subarray(at, at + Number(size)));
      at += Number(size) + 1;
    }
  }
  return sizes;
}

/** Returns the sizes of the blobs without reading them. An id counts once per occurrence. */
export async function measureBlobs(repository: Repository, ids: readonly string[]): Promise<Sizes> {
  const { totalBytes, largestBytes } = await splitBySize(repository, ids);
  return { totalBytes, largestBytes };
}

type Batches = Sizes & { batches: string[][] };

async function splitBySize(repository: Repository, ids: readonly string[]): Promise<Batches> {
  const uses = new Map<string, number>();
  for (const id of ids) uses.set(id, (uses.get(id) ?? 0) + 1);
  const batches: string[][] = [];
  let [bytes, totalBytes, largestBytes] = [0, 0, 0];
  if (uses.size === 0) return { batches, totalBytes, largestBytes };
  const action = `measuring ${uses.size} files`;
  const input = Buffer.from(`${[...uses.keys()].join('\n')}\n`);
  const stdout = await mustRun(repository, { action, args: ['cat-file', '--batch-check'], input });
  for (const line of stdout.toString().split('\n')) {
    const [, id = '', digits = ''] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
    if (id === '') continue;
    const size = Number(digits);
    if (batches.length === 0 || bytes + size > BATCH_BYTES) [bytes] = [0, batches.push([])];
    bytes += size;
    totalBytes += size * (uses.get(id) ?? 1);
    largestBytes = Math.max(largestBytes, size);
    batches.at(-1)?.push(id);
  }
  return { batches, totalBytes, largestBytes };
}

import type { Place } from './compute-merge.js';
import { mustRun, type RunGit } from './run-git.js';

/** By id; what is missing or no file is left out. */
export async function readBlobs(
  run: RunGit,
  place: Place,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const blobs = new Map<string, Buffer>();
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return blobs;
  const action = `reading ${wanted.length} files`;
  const input = Buffer.from(`${wanted.join('\n')}\n`);
  const { stdout } = await mustRun(run, { action, args: ['cat-file', '--batch'], input, ...place });
  // Each is a line, for what is there with the size of the content that follows, and a line end.
  let at = 0;
  while (at < stdout.length) {
    const end = stdout.indexOf('\n', at);
    const [, id = '', type, size] =
      /^([0-9a-f]+) (\w+) (\d+)$/.exec(stdout.subarray(at, end).toString('latin1')) ?? [];
    at = end + 1;
    if (size === undefined) continue;
    if (type === 'blob') blobs.set(id, stdout.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return blobs;
}

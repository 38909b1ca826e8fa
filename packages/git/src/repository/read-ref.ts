import { readInside } from '../files/read-inside.js';

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const MAX_REF_BYTES = 4096;
const MAX_PACKED_BYTES = 64 * 1024 * 1024;

/**
 * Returns the sha of a ref. Reads the repository's files, because that starts no process and trusts no configuration.
 */
export async function readRef(gitDir: string, ref: string): Promise<string | null> {
  const loose = await readText(gitDir, ref, MAX_REF_BYTES);
  if (loose !== null) return toSha(loose);
  const packed = await readText(gitDir, 'packed-refs', MAX_PACKED_BYTES);
  const line = packed?.split('\n').find((candidate) => candidate.endsWith(` ${ref}`));
  return toSha(line?.slice(0, line.indexOf(' ')) ?? '');
}

export async function readText(
  gitDir: string,
  path: string,
  maxBytes = MAX_REF_BYTES,
): Promise<string | null> {
  const found = await readInside(gitDir, path, maxBytes);
  return found.kind === 'read' ? found.content.toString().trim() : null;
}

export function toSha(text: string): string | null {
  return SHA.test(text) ? text : null;
}

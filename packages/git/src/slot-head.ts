import { join } from 'node:path';
import { isBranchName } from './names.js';
import { readInside } from './read-inside.js';

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const MAX_REF_BYTES = 4096;
const MAX_PACKED_BYTES = 16 * 1024 * 1024;

/**
 * Where the agent's repository says it stands, read from its files and not by git, which would believe its
 * configuration. Null when that cannot be told: no commit yet, a link, another repository's directory.
 */
export async function readSlotHead(slot: string): Promise<string | null> {
  const head = await readText(slot, '.git/HEAD', MAX_REF_BYTES);
  if (head === null || SHA.test(head)) return head;
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined || !isBranchName(ref)) return null;
  const loose = await readText(slot, join('.git', ref), MAX_REF_BYTES);
  if (loose !== null) return SHA.test(loose) ? loose : null;
  const packed = await readText(slot, '.git/packed-refs', MAX_PACKED_BYTES);
  const line = packed?.split('\n').find((candidate) => candidate.endsWith(` ${ref}`));
  const sha = line?.slice(0, line.indexOf(' ')) ?? '';
  return SHA.test(sha) ? sha : null;
}

async function readText(slot: string, path: string, maxBytes: number): Promise<string | null> {
  const found = await readInside(slot, path, maxBytes);
  return found.kind === 'read' ? found.content.toString().trim() : null;
}

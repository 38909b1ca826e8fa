import { attempt } from '@mergexo/process';

/** Maximum length of a path on Linux. */
const MAX_PATH = 4_096;
/** Maximum number of files to list. */
const MAX_UNMERGED = 1_000;

const HEADER_BYTES = 12;
/** File times and sizes, and the id of the content. The flags follow. */
const FIXED_BYTES = 60;
const EXTENDED = 0x4000;
const STAGE = 0x3000;

/**
 * Lists the unmerged files in git's index, as bytes, one character each (latin1). Reads the index without git, because
 * the agent wrote it: in version 4, a small index can contain names that need any amount of memory. Returns no files for
 * an index that it cannot read.
 */
export function listUnmerged(index: Buffer): string[] {
  return attempt(() => readUnmerged(index)) ?? [];
}

/** Throws if the index ends too early. */
function readUnmerged(index: Buffer): string[] {
  const version = index.readUInt32BE(4);
  if (index.toString('latin1', 0, 4) !== 'DIRC' || version < 2 || version > 4) return [];
  const name = Buffer.alloc(MAX_PATH);
  const found = new Set<string>();
  let [at, length] = [HEADER_BYTES, 0];
  for (let left = index.readUInt32BE(8); left > 0 && found.size < MAX_UNMERGED; left -= 1) {
    const start = at;
    const flags = index.readUInt16BE(at + FIXED_BYTES);
    at += FIXED_BYTES + ((flags & EXTENDED) === 0 ? 2 : 4);
    // Version 4 stores how many bytes of the previous name to remove, and the bytes to add.
    const kept = version === 4 ? readKept(index, at, length) : { length: 0, at };
    const end = index.indexOf(0, kept.at);
    length = kept.length + end - kept.at;
    if (end < 0 || length > MAX_PATH) return [];
    index.copy(name, kept.length, kept.at, end);
    // Versions 2 and 3 fill each entry with one to eight zero bytes.
    at = version === 4 ? end + 1 : start + Math.floor((end - start + 8) / 8) * 8;
    if ((flags & STAGE) !== 0) found.add(name.toString('latin1', 0, length));
  }
  return [...found];
}

/** Reads a number of bytes to remove, in git's variable-length encoding. */
function readKept(index: Buffer, start: number, length: number): { length: number; at: number } {
  let at = start;
  let byte = index.readUInt8(at);
  let removed = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = index.readUInt8(at);
    removed = (removed + 1) * 0x80 + (byte & 0x7f);
    if (removed > MAX_PATH) break;
  }
  if (removed > length) throw new RangeError('the index removes more bytes than the name has');
  return { length: length - removed, at: at + 1 };
}

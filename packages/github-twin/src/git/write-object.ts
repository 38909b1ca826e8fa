import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

/** Adds a loose object, as `git hash-object -w` does without a process, and returns its sha. */
export async function writeObject(dir: string, type: 'commit', body: Buffer): Promise<string> {
  const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
  const sha = createHash('sha1').update(bytes).digest('hex');
  const folder = path.join(dir, 'objects', sha.slice(0, 2));
  await fs.mkdir(folder, { recursive: true });
  const draft = path.join(folder, `tmp_obj_${process.pid}-${Math.random().toString(36).slice(2)}`);
  await fs.writeFile(draft, await promisify(deflate)(bytes), { mode: 0o444 });
  // Another process may have written the same object: it has the same content.
  await fs.rename(draft, path.join(folder, sha.slice(2)));
  return sha;
}

import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@mergexo/process';

export type FileRead =
  | { kind: 'read'; content: Buffer }
  | { kind: 'absent' }
  | { kind: 'refused'; reason: string }
  | { kind: 'too-large'; bytes: number };

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Reads a regular file inside the directory. Follows no links. */
export async function readInside(root: string, path: string, maxBytes: number): Promise<FileRead> {
  const parts = splitPath(path);
  if (parts === undefined) return { kind: 'refused', reason: 'the path leads outside the directory' };
  const obstacle = await findObstacle(root, parts.slice(0, -1));
  if (obstacle !== undefined) return obstacle;
  try {
    // Without O_NONBLOCK, a named pipe that the agent created would block MergeXO forever.
    const file = await open(join(root, ...parts), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) return { kind: 'refused', reason: 'not a regular file' };
      if (stats.size > maxBytes) return { kind: 'too-large', bytes: stats.size };
      return { kind: 'read', content: await file.readFile() };
    } finally {
      await file.close();
    }
  } catch (error) {
    return explain(error);
  }
}

/** Returns the components of a relative path; undefined if the path could lead outside the directory. */
export function splitPath(path: string): string[] | undefined {
  const parts = path.split('/');
  const isUnsafe = (part: string) => part === '' || part === '.' || part === '..' || part.includes('\0');
  return parts.some(isUnsafe) ? undefined : parts;
}

/** Explains why these nested folders cannot be entered; undefined if each is a real directory. */
export async function findObstacle(
  root: string,
  folders: readonly string[],
): Promise<Exclude<FileRead, { kind: 'read' }> | undefined> {
  let path = root;
  for (const folder of ['', ...folders]) {
    path = join(path, folder);
    try {
      if (!(await lstat(path)).isDirectory())
        return { kind: 'refused', reason: 'a link or file is in the way' };
    } catch (error) {
      return explain(error);
    }
  }
  return undefined;
}

function explain(error: unknown): Exclude<FileRead, { kind: 'read' }> {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
  if (code === 'ELOOP' || code === 'EMLINK') return { kind: 'refused', reason: 'it is a link' };
  if (code === 'ENXIO' || code === 'EACCES' || code === 'ENAMETOOLONG')
    return { kind: 'refused', reason: `it cannot be opened (${code})` };
  throw error;
}

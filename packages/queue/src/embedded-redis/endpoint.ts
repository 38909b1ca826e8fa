import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';

const Endpoint = z.strictObject({
  path: z.string(),
  password: z.string().min(32),
});
export type Endpoint = z.infer<typeof Endpoint>;

/** A Unix socket's path can be at most 103 bytes long on macOS and 107 on Linux. */
const MAX_SOCKET_PATH = 100;

const fileIn = (dir: string): string => join(dir, 'endpoint.json');

/** Returns the address of the embedded Redis on this machine; undefined if none is stored. */
export function readEndpoint(dir: string): Endpoint | undefined {
  try {
    return Endpoint.parse(JSON.parse(readFileSync(fileIn(dir), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Call this before the server starts. The file survives restarts, so workers find a new server at the old address. */
export function writeEndpoint(dir: string, target: Endpoint): void {
  const draft = `${fileIn(dir)}.new`;
  writeFileSync(draft, `${JSON.stringify(target)}\n`, { mode: 0o600 });
  renameSync(draft, fileIn(dir));
}

export function choosePassword(dir: string): string {
  return readEndpoint(dir)?.password ?? randomBytes(24).toString('hex');
}

/** Chooses a path in the data directory or, if that path is too long for a socket, in a private temporary directory. */
export function chooseSocket(dir: string): string {
  const direct = join(dir, 'redis.sock');
  if (Buffer.byteLength(direct) <= MAX_SOCKET_PATH) return direct;
  const name = `mergexo-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`;
  const shelter = join(tmpdir(), name);
  mkdirSync(shelter, { recursive: true, mode: 0o700 });
  refuseForeign(shelter);
  chmodSync(shelter, 0o700);
  return join(shelter, 'redis.sock');
}

/** Throws unless the directory belongs to our user. Any user can create directories in a shared temporary directory. */
function refuseForeign(path: string): void {
  const found = lstatSync(path);
  if (found.isDirectory() && found.uid === process.getuid?.()) return;
  throw new Failure(
    'unauthorized',
    `${path} belongs to another user. Remove it, or choose a shorter base_dir.`,
  );
}

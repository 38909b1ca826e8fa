import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import type { RedisTarget } from '../connect.js';

const Endpoint = z.strictObject({
  path: z.string().optional(),
  host: z.literal('127.0.0.1').optional(),
  port: z.int().optional(),
  password: z.string().min(32),
});
type Endpoint = z.infer<typeof Endpoint>;

/** A socket's path may have 103 bytes on macOS and 107 on Linux. */
const MAX_SOCKET_PATH = 100;

const fileIn = (dir: string): string => join(dir, 'endpoint.json');

/** How other processes of this machine find the embedded Redis; undefined while there is none. */
export function readEndpoint(dir: string): RedisTarget | undefined {
  const endpoint = readStored(dir);
  if (endpoint === undefined) return undefined;
  const { path, host, port, password } = endpoint;
  if (path !== undefined) return { path, password };
  return host !== undefined && port !== undefined ? { host, port, password } : undefined;
}

/** Written before the server starts and kept over restarts, so that workers find the new server where the old one was. */
export function writeEndpoint(dir: string, target: RedisTarget): void {
  const draft = `${fileIn(dir)}.new`;
  writeFileSync(draft, `${JSON.stringify(target)}\n`, { mode: 0o600 });
  renameSync(draft, fileIn(dir));
}

export function choosePassword(dir: string): string {
  return readStored(dir)?.password ?? randomBytes(24).toString('hex');
}

export function choosePort(dir: string): number | undefined {
  return readStored(dir)?.port;
}

/** In the data directory, or, where that is too deep for a socket, in a private directory of the system's. */
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

/** Anyone may create names in a shared temporary directory: what is not ours must not hold our socket. */
function refuseForeign(path: string): void {
  const found = lstatSync(path);
  if (found.isDirectory() && found.uid === process.getuid?.()) return;
  throw new Failure(
    'unauthorized',
    `${path} belongs to somebody else. Remove it, or choose a shorter base_dir.`,
  );
}

function readStored(dir: string): Endpoint | undefined {
  try {
    return Endpoint.parse(JSON.parse(readFileSync(fileIn(dir), 'utf8')));
  } catch {
    return undefined;
  }
}

import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';

/** A request's whole body, in a file that has no name any more: it is gone when it is closed, or with the process. */
export type Spool = { fd: number; length: number; close(): Promise<void> };

/**
 * Takes a body in before anything is locked or started for it: a client that stalls or dies in the middle keeps
 * nobody waiting. Undefined when it went away before the end.
 */
export async function spoolBody(request: IncomingMessage, dir: string): Promise<Spool | undefined> {
  const name = path.join(dir, `spool-${randomUUID()}`);
  const handle = await fs.open(name, 'wx+', 0o600);
  await fs.unlink(name);
  let length = 0;
  try {
    for await (const chunk of request) {
      const bytes = Buffer.from(chunk);
      // Written by position, so that whoever inherits the descriptor reads from the start.
      await handle.write(bytes, 0, bytes.length, length);
      length += bytes.length;
    }
    return { fd: handle.fd, length, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    if (isHangUp(error)) return undefined;
    throw error;
  }
}

/** Whether reading a request failed because its sender is gone. */
export function isHangUp(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

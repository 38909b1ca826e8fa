import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Short, because sockets are made in it, and real, because macOS links its temporary directory. */
export function createTemporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

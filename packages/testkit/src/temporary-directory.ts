import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a directory with a short path, because socket paths are limited. Resolves the symlink in macOS's
 * temporary path.
 */
export function createTemporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Creates a new directory for every test of the suite. Returns a function that joins names to the directory's path. */
export function useTemporaryDirectory(): (...names: string[]) => string {
  let directory: ReturnType<typeof createTemporaryDirectory> | undefined;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory?.remove());
  return (...names) => {
    if (directory === undefined) throw new Error('no test is running');
    return join(directory.path, ...names);
  };
}

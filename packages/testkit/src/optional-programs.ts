import { findExecutable } from '@mergexo/process';

/** Returns the path of a program; undefined if no directory on the PATH contains it. */
export function findOnPath(name: string): string | undefined {
  return findExecutable(name, process.env['PATH'] ?? '');
}

/**
 * Returns `it` and `describe` for tests that need an optional program. If `missing` gives a reason, the tests are
 * skipped, and their title ends with the reason in brackets, which the test report counts.
 */
export function onlyWith(missing: string | undefined): {
  it: (title: string, body: () => Promise<void>, timeoutMs?: number) => void;
  describe: (title: string, body: () => void) => void;
} {
  if (missing === undefined) return { it, describe };
  return {
    it: (title, body, timeoutMs) => it.skip(`${title} [${missing}]`, body, timeoutMs),
    describe: (title, body) => describe.skip(`${title} [${missing}]`, body),
  };
}

import { join } from 'node:path';
import { findProgram } from '../cli/find-program.js';
import { ensureDirectory } from '../cli/private-files.js';
import type { Host } from '../run/run-confined.js';
import { type Nesting, tryNesting } from '../run/try-nesting.js';
import { CODEX } from './codex-cli.js';

/** Tests whether Codex's own sandbox works inside MergeXO's. Returns undefined if Codex is not installed. */
export async function probeCodex(host: Host, binary: string): Promise<Nesting | undefined> {
  const program = findProgram(binary, host.env['PATH'] ?? '', CODEX.layout);
  if (program === undefined) return undefined;
  return tryNesting(host, (home) => {
    const cliHome = join(home, CODEX.name);
    ensureDirectory(cliHome);
    return {
      argv: [program.path, 'sandbox', '--config', 'sandbox_mode="workspace-write"', '--', 'true'],
      env: { CODEX_HOME: cliHome },
      readOnlyPaths: program.readOnlyPaths,
    };
  });
}

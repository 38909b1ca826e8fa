import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findExecutable } from '@mergexo/process';
import type { SandboxUnderTest } from './sandboxes.js';

const SOURCE = fileURLToPath(new URL('../../src/testing/attack.c', import.meta.url));

/** Compiles the attacks that are written in C. */
export function compileAttack(directory: string): string {
  const program = join(directory, 'attack');
  execFileSync('cc', ['-O1', '-pthread', '-o', program, SOURCE]);
  return program;
}

/** Marks the sandboxes as missing if this machine has no C compiler, so that their tests are skipped. */
export function withCompiler(sandboxes: readonly SandboxUnderTest[], path: string): SandboxUnderTest[] {
  if (findExecutable('cc', path) !== undefined) return [...sandboxes];
  return sandboxes.map((sandbox) => ({ missing: 'cc is not installed', ...sandbox }));
}

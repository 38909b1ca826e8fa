import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { findExecutable, isExecutableFile, readShebang } from '@mergexo/process';

export type Program = {
  path: string;
  /** What it needs to see besides itself. */
  readOnlyPaths: readonly string[];
};

/** How one agent's package is laid out around its native program. */
export type Layout = {
  /** Packages that may hold the program, by preference; each `<platform>-<arch>` is one. */
  packages(target: string): readonly string[];
  /** Where in such a package it may be. */
  programs(packageDir: string): readonly string[];
  /** What lies beside the program and belongs to it. */
  companions(program: string): readonly string[];
};

/**
 * An agent's own program. What npm puts on the PATH is often a Node script that stays resident and stands between us and
 * the signals: then the native program behind it is taken.
 */
export function findProgram(name: string, searchPath: string, layout: Layout): Program | undefined {
  const found = findExecutable(name, searchPath);
  if (found === undefined) return undefined;
  const real = realpathSync(found);
  const path = readShebang(real) !== undefined ? (findNative(real, layout) ?? found) : real;
  return { path, readOnlyPaths: layout.companions(path).filter((companion) => existsSync(companion)) };
}

function findNative(launcher: string, layout: Layout): string | undefined {
  const { resolve } = createRequire(launcher);
  for (const name of layout.packages(`${process.platform}-${process.arch}`)) {
    try {
      const program = layout.programs(dirname(resolve(`${name}/package.json`))).find(isExecutableFile);
      if (program !== undefined) return realpathSync(program);
    } catch {
      // Not installed for this machine; the next one may be.
    }
  }
  return undefined;
}

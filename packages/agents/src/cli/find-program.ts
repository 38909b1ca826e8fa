import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { findExecutable, isExecutableFile, readShebang } from '@mergexo/process';

export type Program = {
  path: string;
  /** Other paths that the program needs. */
  readOnlyPaths: readonly string[];
};

/** The file layout of an agent's npm package around its native program. */
export type Layout = {
  /** Packages that may contain the program for a `<platform>-<arch>`, in order of preference. */
  packages(target: string): readonly string[];
  /** Possible paths of the program in such a package. */
  programs(packageDir: string): readonly string[];
  /** Other files and folders of the package that the program needs. */
  bundledFiles(program: string): readonly string[];
};

/**
 * Finds an agent's native program. The command that npm puts on the PATH is often a Node script, which keeps running
 * and does not forward signals.
 */
export function findProgram(name: string, searchPath: string, layout: Layout): Program | undefined {
  const found = findExecutable(name, searchPath);
  if (found === undefined) return undefined;
  const real = realpathSync(found);
  const path = readShebang(real) !== undefined ? (findNative(real, layout) ?? found) : real;
  return { path, readOnlyPaths: layout.bundledFiles(path).filter((companion) => existsSync(companion)) };
}

function findNative(launcher: string, layout: Layout): string | undefined {
  const { resolve } = createRequire(launcher);
  for (const name of layout.packages(`${process.platform}-${process.arch}`)) {
    try {
      const program = layout.programs(dirname(resolve(`${name}/package.json`))).find(isExecutableFile);
      if (program !== undefined) return realpathSync(program);
    } catch {
      // This package is not installed on this machine, but the next one may be.
    }
  }
  return undefined;
}

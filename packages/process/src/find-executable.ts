import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Finds a program by absolute path or by name on the search path. Rejects relative paths, because they depend on the
 * working directory.
 */
export function findExecutable(
  name: string,
  searchPath: string,
  accepts: (path: string) => boolean = () => true,
): string | undefined {
  if (!isAbsolute(name) && name.includes('/')) return undefined;
  const candidates = isAbsolute(name) ? [name] : listEntries(searchPath).map((entry) => join(entry, name));
  return candidates.find((path) => isExecutableFile(path) && accepts(path));
}

export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Removes empty and relative entries: they mean the working directory, where a repository could add programs. */
export function keepAbsoluteEntries(searchPath: string): string {
  return listEntries(searchPath).join(delimiter);
}

function listEntries(searchPath: string): string[] {
  return searchPath.split(delimiter).filter((entry) => isAbsolute(entry));
}

/**
 * Returns the interpreter that a script names in its first line, with its arguments; undefined for any other program.
 */
export function readShebang(path: string): string | undefined {
  const start = Buffer.alloc(256);
  const file = openSync(path, 'r');
  try {
    readSync(file, start, 0, start.length, 0);
  } finally {
    closeSync(file);
  }
  return /^#![ \t]*([^\n\0]+)/.exec(start.toString('latin1'))?.[1]?.trim();
}

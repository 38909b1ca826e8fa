import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** A program by its absolute path or by its name on the PATH. A relative path would depend on the hostile slot. */
export function findExecutable(name: string, path: string): string | undefined {
  if (isAbsolute(name)) return isExecutableFile(name) ? name : undefined;
  if (name.includes('/')) return undefined;
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((directory) => join(directory, name))
    .find(isExecutableFile);
}

export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

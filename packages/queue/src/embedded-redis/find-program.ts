import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';

/** The full path of an executable in the given directories. */
export function findProgram(name: string, directories: readonly string[]): string | undefined {
  const candidates = directories
    .filter((directory) => directory !== '')
    .map((directory) => join(directory, name));
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  });
}

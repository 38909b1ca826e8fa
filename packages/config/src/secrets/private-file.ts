import { readFileSync, statSync } from 'node:fs';
import { fileError } from '../parse/config-error.js';

/** Reads a file with a secret. Throws if other users can read the file too. */
export function readPrivateFile(path: string, what: string): string {
  if ((statSync(path).mode & 0o077) !== 0)
    throw fileError(path, `other users can read ${what}. Run \`chmod 600 ${path}\``);
  return readFileSync(path, 'utf8');
}

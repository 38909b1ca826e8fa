import { createRequire } from 'node:module';

type Debug = { enable(namespaces: string): void; disable(): string };

/**
 * With `DEBUG=*` simple-git would print the environment of every command, including the token. The logger may have been
 * enabled when it was first loaded, so changing the variable is not enough.
 */
export function quietSimpleGit(): void {
  const here = createRequire(import.meta.url);
  const debug: unknown = createRequire(here.resolve('simple-git'))('debug');
  if (!isDebug(debug)) throw new Error('simple-git cannot be kept from printing the token');
  const namespaces = debug.disable();
  if (namespaces !== '') debug.enable(`${namespaces},-simple-git*`);
}

function isDebug(value: unknown): value is Debug {
  return typeof value === 'function' && 'enable' in value && 'disable' in value;
}

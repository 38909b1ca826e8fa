import { createRequire } from 'node:module';

type Debug = { enable(namespaces: string): void; disable(): string };

/**
 * With `DEBUG=*` simple-git would print the environment of every command, the token in it. Whoever loaded the logger first
 * has switched it on already, so it is not enough to change the variable.
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

import { createRequire } from 'node:module';

type Debug = { enable(namespaces: string): void; disable(): string };

/**
 * Disables simple-git's logger: with `DEBUG=*` it would print the environment of every command, including the token.
 * The logger may already be enabled, so changing the variable is not enough.
 */
export function quietSimpleGit(): void {
  const here = createRequire(import.meta.url);
  const debug: unknown = createRequire(here.resolve('simple-git'))('debug');
  if (!isDebug(debug))
    throw new Error(
      'cannot disable the debug output of simple-git, which would print the token; unset DEBUG',
    );
  const namespaces = debug.disable();
  if (namespaces !== '') debug.enable(`${namespaces},-simple-git*`);
}

function isDebug(value: unknown): value is Debug {
  return typeof value === 'function' && 'enable' in value && 'disable' in value;
}

import { realpathSync } from 'node:fs';
import { isAbsolute, sep } from 'node:path';
import { findExecutable, readShebang } from '@mergexo/process';
import { isInside, isSystemPath } from './bubblewrap.js';

type Sight = { searchPath: string; readOnlyPaths: readonly string[] };

/**
 * Explains why a program cannot run in the sandbox, in which little more than the system directories is visible.
 * Returns undefined if the program can run. Version managers (pyenv, nvm, asdf) keep programs in the home directory,
 * behind scripts that start them.
 */
export function explainHidden(name: string, sight: Sight): string | undefined {
  const found = findExecutable(name, sight.searchPath);
  if (found === undefined) return undefined;
  if (!isAbsolute(name)) {
    const inside = findInside(name, sight);
    if (inside === undefined)
      return `the sandbox does not show ${found}; give its absolute path, or install it for the whole system`;
    if (inside !== found) return `${name} is ${found}, but the sandbox shows only ${inside}`;
  }
  const real = realpathSync(found);
  if (real.split(sep).includes('shims'))
    return `${found} is a shim that starts a program in a directory that the sandbox does not show; give the absolute path of the program itself`;
  return explainInterpreter(found, readShebang(real), sight);
}

function explainInterpreter(program: string, shebang: string | undefined, sight: Sight): string | undefined {
  if (shebang === undefined) return undefined;
  const [first = '', ...rest] = shebang.split(/\s+/);
  const viaEnv = first.endsWith('/env') ? rest.find((word) => !word.startsWith('-')) : undefined;
  const interpreter = viaEnv ?? first;
  const isShown =
    viaEnv === undefined ? isVisible(interpreter, sight) : findInside(interpreter, sight) !== undefined;
  return isShown
    ? undefined
    : `${program} needs ${interpreter}, which the sandbox does not show; install it for the whole system`;
}

/** Finds the program that this name resolves to inside the sandbox. */
function findInside(name: string, sight: Sight): string | undefined {
  const isShown = (path: string): boolean => isVisible(path, sight) && isVisible(realpathSync(path), sight);
  return findExecutable(name, sight.searchPath, isShown);
}

function isVisible(path: string, { readOnlyPaths }: Sight): boolean {
  return isSystemPath(path) || readOnlyPaths.some((shown) => isInside(path, shown));
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** With `rm`, because a hostile tree may be deeper than a path can be long. False if something could not be removed. */
export async function removeTree(path: string): Promise<boolean> {
  const remove = () => run('rm', ['-rf', '--', path]);
  const unlock = () => run('chmod', ['-R', 'u+rwx', '--', path]);
  try {
    // Directories without permissions, as package managers like to leave them, need a second try.
    await remove().catch(() =>
      unlock()
        .catch(() => {})
        .then(remove),
    );
    return true;
  } catch {
    return false;
  }
}

import { Sha } from '@mergexo/core/turns';

/**
 * True for a valid branch name. Stricter than `git check-ref-format`: a name must not look like an option, a path or
 * revision syntax.
 */
export function isBranchName(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point
  if (name === '' || name.length > 200 || /[\u0000- ~^:?*[\\\u007f]|\.\.|@\{|\/\/|^@$/.test(name))
    return false;
  return name
    .split('/')
    .every((part) => part !== '' && !/^[.-]/.test(part) && !/[.]$/.test(part) && !part.endsWith('.lock'));
}

/** Throws unless MergeXO may push to the branch. */
export function checkOurBranch(name: string): void {
  if (!isBranchName(name) || !name.startsWith('agent/'))
    throw new Error(
      `refusing to push to ${JSON.stringify(name)}: MergeXO pushes only to branches under agent/`,
    );
}

export function checkBranch(name: string): void {
  if (!isBranchName(name)) throw new Error(`${JSON.stringify(name)} is not a branch name`);
}

export function checkSha(sha: string): void {
  if (!Sha.safeParse(sha).success) throw new Error(`${JSON.stringify(sha)} is not a full commit sha`);
}

/** Throws for unsafe names, because owner and name become directory names. */
export function checkRepoPart(part: string): void {
  if (!/^[A-Za-z0-9_.-]{1,100}$/.test(part) || part === '.' || part === '..')
    throw new Error(`${JSON.stringify(part)} is not a valid owner or name of a repository`);
}

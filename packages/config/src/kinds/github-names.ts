import { z } from 'zod';
import { isPrintable } from './basics.js';
import { kind } from './kind.js';

// The login of an enterprise managed user ends with an underscore and the enterprise's short code.
const LOGIN = /^[a-z\d](?:[a-z\d-]{0,37}[a-z\d])?(?:_[a-z\d]{1,20})?$/i;
const isLogin = (text: string) => LOGIN.test(text) && !text.includes('--') && text.length <= 39;

export const login = () =>
  kind('a GitHub login: up to 39 letters, digits and single hyphens', z.string().refine(isLogin));

export const logins = () =>
  kind(
    'a list of 1 to 100 GitHub logins of people (up to 39 letters, digits and single hyphens)',
    z.array(z.string().refine(isLogin)).min(1).max(100),
  );

export const repositoryName = () =>
  kind(
    'a repository name: up to 100 letters, digits, dots, hyphens and underscores, without .git',
    z
      .string()
      .regex(/^[A-Za-z\d._-]{1,100}$/)
      .refine((name) => !/^\.{1,2}$|\.git$/i.test(name)),
  );

export const label = () =>
  kind(
    'a label of 1 to 50 characters, without commas and without spaces at either end',
    z
      .string()
      .regex(/^[^\s,](?:[^,]{0,48}[^\s,])?$/u)
      .refine(isPrintable),
  );

/** Follows the rules of `git check-ref-format --branch`, and also rejects names that start with `refs/`. */
export const branchName = () =>
  kind('a branch name that git accepts, at most 200 characters', z.string().max(200).refine(isBranchName));

function isBranchName(name: string): boolean {
  if (/[\s\p{C}~^:?*[\\]|\.\.|@\{/u.test(name)) return false;
  if (name.startsWith('-') || name === '@' || name === 'HEAD' || name.startsWith('refs/')) return false;
  return name.split('/').every((part) => part !== '' && !/^\.|\.$|\.lock$/.test(part));
}

import { chmodSync, lstatSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '../output/json.js';
import { ensureDirectory, readPrivateFile, removePath, writePrivateFile } from './private-files.js';

export type Loan = {
  /** The user's own login file. */
  from: string;
  /** The agent's copy of the login, in the agent's private home. */
  to: string;
  /** True if `updated` is a refreshed version of `original`. */
  isRefreshed(original: unknown, updated: unknown, nowMs: number): boolean;
  now: () => Date;
};

type LentLogin = {
  /** The tokens of the lent login. */
  tokens: readonly string[];
  /** Lists the tokens in the agent's copy. The agent may have refreshed them or written arbitrary text. */
  listReturned(): readonly string[];
  /**
   * Removes the login from the agent's home, where other programs run too. Writes a refreshed login to the user's
   * file, because the refresh made the old login invalid. Skips the write if the agent's commands could change the
   * login, or if the user logged in again during the turn. Returns the tokens of a refreshed login, unless the agent's
   * commands could change the login: an agent could pass ordinary text off as a token.
   */
  takeBack(options: { isTrusted: boolean }): readonly string[];
};

/** Copies the user's login for one turn. Returns undefined if the user has no login. */
export function lendLogin({ from, to, isRefreshed, now }: Loan): LentLogin | undefined {
  const source = followLinks(from);
  const text = readPrivateFile(source);
  if (text === undefined) {
    removePath(to);
    return undefined;
  }
  ensureDirectory(dirname(to));
  unlock(dirname(to));
  writePrivateFile(to, text);
  return {
    tokens: listTokens(parseJson(text)),
    listReturned: () => listTokens(parseJson(readPrivateFile(to) ?? '')),
    takeBack: ({ isTrusted }) => {
      unlock(dirname(dirname(to)));
      // The agent may have replaced the directory with a link to the user's own login.
      ensureDirectory(dirname(to));
      unlock(dirname(to));
      const returned = readPrivateFile(to);
      removePath(to);
      if (returned === undefined || returned === text) return [];
      const login = parseJson(returned);
      if (!isTrusted || !isRefreshed(parseJson(text), login, now().getTime())) return [];
      if (readPrivateFile(source) === text) writePrivateFile(source, returned);
      return listTokens(login);
    },
  };
}

/** Restores permissions that the agent removed. Does not follow a link. */
function unlock(directory: string): void {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory() && (found.mode & 0o700) !== 0o700) chmodSync(directory, 0o700);
}

/** Resolves links, because dotfiles are often links into a repository. */
function followLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Shorter values are names of plans and scopes, which also occur as ordinary words. */
const MIN_TOKEN_LENGTH = 20;
/** Maximum number of tokens of one login. Redaction remembers the tokens of several logins. */
const MAX_TOKENS = 20;
/** Maximum nesting of a login. An agent can nest its copy so deeply that recursion overflows the stack. */
const MAX_DEPTH = 8;
const DATE = /^\d{4}-\d{2}-\d{2}T/;

function listTokens(login: unknown): string[] {
  return [...new Set(listStrings(login))]
    .filter((text) => text.length >= MIN_TOKEN_LENGTH && !DATE.test(text))
    .slice(0, MAX_TOKENS);
}

function listStrings(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((field) => listStrings(field, depth + 1));
}

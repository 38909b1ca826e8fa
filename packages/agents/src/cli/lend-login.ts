import { realpathSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '../output/json.js';
import { ensureDirectory, readPrivateFile, writePrivateFile } from './private-files.js';

export type Loan = {
  /** The user's own login file. */
  from: string;
  /** The agent's copy of the login, in the agent's private home. */
  to: string;
  /** True if `returned` is a refreshed version of `lent`. */
  isRenewed(lent: unknown, returned: unknown): boolean;
};

type LentLogin = {
  /** Lists every token of the lent login and of the copy that the agent may have refreshed. */
  listSecrets(): readonly string[];
  /**
   * Removes the login from the agent's home, where other programs run too. Writes a refreshed login to the user's
   * file, because the refresh made the old login invalid. Skips the write if the agent's commands could change the
   * login, or if the user logged in again during the turn. Returns the tokens of a refreshed login.
   */
  takeBack(options: { isTrusted: boolean }): readonly string[];
};

/** Copies the user's login for one turn. Returns undefined if the user has no login. */
export function lendLogin({ from, to, isRenewed }: Loan): LentLogin | undefined {
  const source = followLinks(from);
  const text = readPrivateFile(source);
  if (text === undefined) {
    rmSync(to, { force: true, recursive: true });
    return undefined;
  }
  ensureDirectory(dirname(to));
  writePrivateFile(to, text);
  return {
    listSecrets: () => [
      ...new Set([text, readPrivateFile(to) ?? ''].flatMap((login) => listSecrets(parseJson(login)))),
    ],
    takeBack: ({ isTrusted }) => {
      const returned = readPrivateFile(to);
      rmSync(to, { force: true, recursive: true });
      if (returned === undefined || returned === text) return [];
      const login = parseJson(returned);
      if (isTrusted && readPrivateFile(source) === text && isRenewed(parseJson(text), login))
        writePrivateFile(source, returned);
      return listSecrets(login);
    },
  };
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
const MIN_SECRET_LENGTH = 20;
const DATE = /^\d{4}-\d{2}-\d{2}T/;

function listSecrets(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.length >= MIN_SECRET_LENGTH && !DATE.test(value) ? [value] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listSecrets);
}

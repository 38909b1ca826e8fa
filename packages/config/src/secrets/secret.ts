import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { fileError } from '../parse/config-error.js';
import { readPrivateFile } from './private-file.js';

/** Keys for MergeXO's comments: `current` signs new comments, and every key can verify a comment. */
export type SigningSecret = { current: string; older: readonly string[] };

const MIN_LENGTH = 32;

/** Creates the file and returns true, or returns false if the file exists. Concurrent calls create only one secret. */
export function createSecretFile(path: string): boolean {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST')
      return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Reads the secret from the environment or, if unset, from the file. Both contain one key per line, newest first. */
export function readSecret(path: string, fromEnvironment: string | undefined): SigningSecret {
  const text = fromEnvironment ?? readSecretFile(path);
  const [current, ...older] = text.split(/\s+/).filter((line) => line !== '');
  if (current === undefined || [current, ...older].some((key) => key.length < MIN_LENGTH)) {
    const source = fromEnvironment === undefined ? path : 'MERGEXO_SECRET';
    throw fileError(
      source,
      `the signing secret is invalid: each key needs at least ${MIN_LENGTH} characters`,
    );
  }
  return { current, older };
}

function readSecretFile(path: string): string {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    throw fileError(
      path,
      `the signing secret is missing. Restore it from your backup, or set MERGEXO_SECRET. For a new installation, run ` +
        `\`${MERGEXO_CLI} init\`. If the secret is lost, start over with \`${MERGEXO_CLI} adopt --repo <owner/name>\``,
    );
  }
  return readPrivateFile(path, 'the signing secret');
}

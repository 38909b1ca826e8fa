import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { ConfigError } from '../parse/config-error.js';

/** The keys that prove our comments: the first signs, all of them verify. */
export type SigningSecret = { current: string; older: readonly string[] };

const MIN_LENGTH = 32;

/** Makes the file if there is none; false when it was there. Two at once make one secret, not two. */
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

/** From the environment if it is there, else from the file: one key a line, the newest first. */
export function readSecret(path: string, fromEnvironment: string | undefined): SigningSecret {
  const text = fromEnvironment ?? readSecretFile(path);
  const [current, ...older] = text.split(/\s+/).filter((line) => line !== '');
  if (current === undefined || [current, ...older].some((key) => key.length < MIN_LENGTH)) {
    const source = fromEnvironment === undefined ? path : 'MERGEXO_SECRET';
    throw complaint(source, `every key must have at least ${MIN_LENGTH} characters`);
  }
  return { current, older };
}

function readSecretFile(path: string): string {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) {
    throw complaint(
      path,
      `the signing secret is missing; restore it from your backup, or set MERGEXO_SECRET. \`${MERGEXO_CLI} init\` makes one for ` +
        `a new installation; if it is lost for good, \`${MERGEXO_CLI} adopt --repo <owner/name>\` starts clean`,
    );
  }
  if ((mode & 0o077) !== 0)
    throw complaint(path, 'the signing secret is open to other users; run chmod 600 on it');
  return readFileSync(path, 'utf8');
}

function complaint(path: string, message: string): ConfigError {
  return new ConfigError(path, [{ path: '', message }]);
}

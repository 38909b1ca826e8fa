import { existsSync } from 'node:fs';
import { Failure } from '@mergexo/core/basics';
import { ConfigError } from '../parse/config-error.js';
import { readPrivateFile } from './private-file.js';

export type AppKeyPaths = {
  readonly privateKeyPath: string;
  readonly secondPrivateKeyPath?: string | undefined;
};

const WHAT = 'the private key of the GitHub App';

/** Reads the private keys of a GitHub App, the preferred one first. Skips a missing file if the other one exists. */
export function readAppKeys({ privateKeyPath, secondPrivateKeyPath }: AppKeyPaths): readonly string[] {
  const paths = [privateKeyPath, secondPrivateKeyPath].filter((path) => path !== undefined);
  const found = paths.filter((path) => existsSync(path));
  if (found.length === 0)
    throw new Failure(
      'unauthorized',
      `${privateKeyPath} does not exist. Store ${WHAT} there, or correct github.app.private_key_path.`,
    );
  return found.map(readKey);
}

function readKey(path: string): string {
  try {
    return readPrivateFile(path, WHAT);
  } catch (error) {
    const why = error instanceof ConfigError ? error.message : `${path} could not be read`;
    throw new Failure('unauthorized', why, { cause: error });
  }
}

import { readFileSync } from 'node:fs';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import type { Config } from './parse/config.js';
import { ConfigError } from './parse/config-error.js';
import { type ParseOptions, parseConfig } from './parse/parse-config.js';

/** A thousand repositories fit; a log or a database given by mistake does not. */
const LONGEST_FILE = 1024 * 1024;

/** Reads and checks the file. Whatever is wrong with it, also that it is not there, is a ConfigError. */
export function readConfig(path: string, options: Omit<ParseOptions, 'sourceName'>): Config {
  const bytes = readBytes(path);
  if (bytes.length > LONGEST_FILE) throw complaint(path, 'is larger than 1 MiB; this is no configuration');
  return parseConfig(decode(bytes, path), { ...options, sourceName: path });
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code =
      typeof error === 'object' && error !== null && 'code' in error ? error.code : 'unknown reason';
    if (code === 'ENOENT')
      throw complaint(
        path,
        `the file does not exist; run \`${MERGEXO_CLI} init\` to write one, or name another file with --config`,
      );
    throw complaint(path, `the file cannot be read (${code})`, error);
  }
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw complaint(path, 'the file is not UTF-8 text');
  }
}

function complaint(path: string, message: string, cause?: unknown): ConfigError {
  return new ConfigError(path, [{ path: '', message }], { cause });
}

import { readFileSync } from 'node:fs';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import type { Config } from './parse/config.js';
import { fileError } from './parse/config-error.js';
import { type ParseOptions, parseConfig } from './parse/parse-config.js';

/** Maximum size in bytes: enough for a thousand repositories, but too small for a log or database passed by mistake. */
const MAX_CONFIG_BYTES = 1024 * 1024;

/**
 * Reads and validates the file. Every problem, including a missing file, is a ConfigError. `absent` is another file that
 * could have been the config, for the error.
 */
export function readConfig(
  path: string,
  { absent, ...options }: Omit<ParseOptions, 'sourceName'> & { absent?: string | undefined },
): Config {
  const bytes = readBytes(path, absent);
  if (bytes.length > MAX_CONFIG_BYTES)
    throw fileError(path, 'the file is larger than 1 MiB, so it cannot be a MergeXO config');
  return parseConfig(decode(bytes, path), { ...options, sourceName: path });
}

function readBytes(path: string, absent: string | undefined): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code =
      typeof error === 'object' && error !== null && 'code' in error ? error.code : 'unknown reason';
    if (code === 'ENOENT')
      throw fileError(
        path,
        `the file does not exist${absent === undefined ? '' : `, and neither does ${absent}`}; run \`${MERGEXO_CLI} init\` to create it, or use another file with --config`,
      );
    throw fileError(path, `the file cannot be read (${code})`, error);
  }
}

function decode(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fileError(path, 'the file is not UTF-8 text');
  }
}

import { parse, TomlError } from 'smol-toml';
import { deepFreeze } from '../values/deep-freeze.js';
import type { TomlTable } from '../values/toml-table.js';
import type { Config } from './config.js';
import { ConfigError, fileError } from './config-error.js';
import { findContradictions } from './find-contradictions.js';
import { findSecrets } from './find-secrets.js';
import { isBroken } from './finding.js';
import { readDraft } from './read-draft.js';
import { resolveConfig } from './resolve-config.js';

export type ParseOptions = {
  /** Replaces `~` in paths. */
  homeDir: string;
  /** Default of `runtime.base_dir`. */
  dataDirectory?: string;
  /** Name of the file in error messages. */
  sourceName?: string;
  /** True if the environment contains a Redis password. A Redis server on another host requires one. */
  redisPasswordGiven?: boolean;
};

/** Parses the text of a `mergexo.toml`, or throws a ConfigError that lists every problem. Does no I/O. */
export function parseConfig(text: string, options: ParseOptions): Config {
  const { homeDir, sourceName = 'mergexo.toml', redisPasswordGiven = false } = options;
  const raw = parseToml(text, sourceName);

  const secrets = findSecrets(raw);
  const { draft, findings } = readDraft(raw, secrets);
  const known = [...secrets, ...findings];
  const contradictions = findContradictions(draft, { redisPasswordGiven }).filter(
    ({ path, involves }) => ![path, ...involves].some((key) => isBroken(key, known)),
  );

  const problems = [...known, ...contradictions].map(({ path, message }) => ({ path, message }));
  if (problems.length > 0) throw new ConfigError(sourceName, problems);
  const { dataDirectory = `${homeDir}/.local/share/mergexo` } = options;
  return deepFreeze(resolveConfig(draft, { homeDir, dataDirectory }));
}

function parseToml(text: string, sourceName: string): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The error keeps only the first line of the message and no cause, because the rest quotes the file, which may
    // contain a secret.
    const reason = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '');
    const message = `line ${error.line}, column ${error.column}: invalid TOML: ${reason}`;
    throw fileError(sourceName, message);
  }
}

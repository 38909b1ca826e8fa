import { parse, TomlError } from 'smol-toml';
import { deepFreeze } from '../values/deep-freeze.js';
import type { TomlTable } from '../values/toml-table.js';
import type { Config } from './config.js';
import { ConfigError } from './config-error.js';
import { findContradictions } from './find-contradictions.js';
import { findSecrets } from './find-secrets.js';
import { isBroken } from './finding.js';
import { readDraft } from './read-draft.js';
import { resolveConfig } from './resolve-config.js';

export type ParseOptions = {
  /** What `~/` stands for. */
  homeDir: string;
  /** What the complaints call the text. */
  sourceName?: string;
  /** Is there a Redis password in the environment? Without one a Redis on another host is refused. */
  redisPasswordGiven?: boolean;
};

/** Text of a `mergexo.toml` → configuration, or a ConfigError with everything that is wrong with it. Pure. */
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
  return deepFreeze(resolveConfig(draft, homeDir));
}

function parseToml(text: string, sourceName: string): TomlTable {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Only the first line: the rest quotes the file, which may hold a secret. For the same reason no cause is kept.
    const reason = error.message.split('\n', 1)[0]?.replace(/^Invalid TOML document: /, '');
    const message = `line ${error.line}, column ${error.column}: this is not TOML: ${reason}`;
    throw new ConfigError(sourceName, [{ path: '', message }]);
  }
}

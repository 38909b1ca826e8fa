#!/usr/bin/env node
/** Runs `mergexo adopt` while the poller is stopped. Prints one JSON value. With `--preview`, changes nothing. */
import { existsSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { parseArgs } from 'node:util';
import {
  ConfigError,
  createSecretFile,
  markSecret,
  matchSecret,
  readSecret,
  readSettings,
  type Settings,
} from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { createState, holdLock, openDatabaseReadOnly, openState, type State } from '@mergexo/state';

try {
  process.stdout.write(`${JSON.stringify(adopt())}\n`);
} catch (error) {
  if (!(error instanceof Failure || error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function adopt() {
  const { values } = parseArgs({
    options: { config: { type: 'string' }, repo: { type: 'string' }, preview: { type: 'boolean' } },
  });
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  const { paths } = settings;
  const name = values.repo ?? '';
  if (!existsSync(paths.database))
    throw new Failure('not-found', `${paths.database} is missing. Run \`${MERGEXO_CLI} init\`.`);
  const secret = judgeSecret(settings);
  if (values.preview === true) {
    const reading = createState(openDatabaseReadOnly(paths.database));
    try {
      const { id, fullName } = findRepository(reading, name);
      return { repo: fullName, secret, ...reading.previewRetirement(id) };
    } finally {
      reading.close();
    }
  }
  const startedAt = new Date().toISOString();
  const lock = holdLock(paths.lock, {
    pid: process.pid,
    host: hostname(),
    startedAt,
    purpose: 'mergexo adopt',
  });
  try {
    return retire(settings, name, secret);
  } finally {
    lock.release();
  }
}

/**
 * Commits the database change before changing the secret. After a crash in between, the operator must run
 * `adopt` again.
 */
function retire({ paths, redact, signingSecret }: Settings, name: string, secret: SecretState) {
  const state = openState(paths.database, redact);
  try {
    const now = Date.now();
    const since = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
    const { id, fullName } = findRepository(state, name);
    const retired = state.transaction(() => state.retireRepository(id, since, now));
    if (secret === 'missing') createSecretFile(paths.secret);
    markSecret(paths.secret, readSecret(paths.secret, signingSecret));
    return { repo: fullName, secret, ...retired };
  } finally {
    state.close();
  }
}

type SecretState = 'missing' | 'foreign' | 'known';

function judgeSecret({ paths, signingSecret }: Settings): SecretState {
  if (signingSecret === undefined && !existsSync(paths.secret)) return 'missing';
  return matchSecret(paths.secret, readSecret(paths.secret, signingSecret)) === 'foreign'
    ? 'foreign'
    : 'known';
}

function findRepository(state: State, name: string): { id: number; fullName: string } {
  const known = state
    .listRepositories()
    .map((repository) => ({ id: repository.id, fullName: `${repository.owner}/${repository.name}` }));
  const found = known.find(({ fullName }) => fullName.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const names = known.map(({ fullName }) => fullName).join(', ') || 'none yet';
  throw new Failure('not-found', `The poller has not read ${JSON.stringify(name)} (known: ${names}).`);
}

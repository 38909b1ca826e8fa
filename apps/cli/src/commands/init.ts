import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import {
  createSecretFile,
  parseConfig,
  readSettings,
  renderConfigExample,
  type Settings,
} from '@mergexo/config';
import { Failure } from '@mergexo/core';
import { holdLock, openState } from '@mergexo/state';
import type { Context } from '../context.js';

export type InitOptions = { repo?: string; agent?: string };
type Made = { what: string; path: string; done: 'created' | 'kept' };

/** Everything that a first start needs. Run it as often as you like: what is there is kept. */
export function init(context: Context, options: InitOptions): void {
  const configPath = resolve(context.configPath ?? context.env['MERGEXO_CONFIG'] ?? 'mergexo.toml');
  const made: Made[] = [
    { what: 'config', path: configPath, done: writeConfig(context, configPath, options) },
  ];
  const settings = readSettings({ configPath, env: context.env, homeDir: context.homeDir });
  const { config, paths } = settings;
  refuseLostSecret(settings);

  const { baseDir } = config.runtime;
  made.push({ what: 'directory', path: baseDir, done: existsSync(baseDir) ? 'kept' : 'created' });
  mkdirSync(baseDir, { recursive: true, mode: 0o700 });
  // The secret first: a database without one means that it was lost.
  made.push(makeSecret(settings));
  made.push({
    what: 'database',
    path: paths.database,
    done: existsSync(paths.database) ? 'kept' : 'created',
  });
  if (!existsSync(paths.database)) createDatabase(paths);

  context.print({ ok: true, made, next: NEXT }, () => [
    ...made.map(({ what, path, done }) => `${done.padEnd(8)} ${what.padEnd(10)} ${path}`),
    '',
    NEXT,
  ]);
}

/** A new secret would not know the comments that the old one signed, and nobody would notice that it was lost. */
function refuseLostSecret({ paths, signingSecret }: Settings): void {
  if (signingSecret !== undefined || existsSync(paths.secret) || !existsSync(paths.database)) return;
  throw new Failure(
    'conflict',
    `${paths.database} is there, but its signing secret ${paths.secret} is not. A new secret would not know the ` +
      'comments that were signed with the old one, so none was made. Restore that file from a backup (mode 600), or ' +
      'set MERGEXO_SECRET to what it held.',
  );
}

function makeSecret({ paths, signingSecret }: Settings): Made {
  // An unused file beside it would one day be taken for the real one.
  if (signingSecret !== undefined) return { what: 'secret', path: 'MERGEXO_SECRET', done: 'kept' };
  return { what: 'secret', path: paths.secret, done: createSecretFile(paths.secret) ? 'created' : 'kept' };
}

/** Under the poller's lock, so that a poller that starts right now does not make it as well. */
function createDatabase({ lock, database }: Settings['paths']): void {
  const startedAt = new Date().toISOString();
  const held = holdLock(lock, { pid: process.pid, host: hostname(), startedAt, purpose: 'mergexo init' });
  openState(database).close();
  held.release();
}

const NEXT = 'Next: look through the config, then run `npx mergexo doctor`.';

function writeConfig(context: Context, path: string, { repo, agent }: InitOptions): 'created' | 'kept' {
  if (existsSync(path)) {
    if (repo === undefined && agent === undefined) return 'kept';
    throw new Failure('conflict', `${path} is there already; edit it, or choose another file with --config.`);
  }
  const values = {
    ...(repo !== undefined && parseRepo(repo)),
    ...(agent !== undefined && { 'agent.adapter': agent }),
  };
  const text = renderConfigExample({ values });
  // What does not pass is not written: the next try would find it in its way.
  parseConfig(text, { homeDir: context.homeDir, sourceName: 'the new config' });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
  return 'created';
}

function parseRepo(repo: string): { 'repo.owner': string; 'repo.name': string } {
  const [, owner, name] = /^(?:https:\/\/[^/]+\/)?(\w[\w-]*)\/([\w.-]+?)(?:\.git)?\/?$/.exec(repo) ?? [];
  if (owner === undefined || name === undefined) {
    throw new Failure('invalid-data', `--repo must look like owner/name, not ${JSON.stringify(repo)}.`);
  }
  return { 'repo.owner': owner, 'repo.name': name };
}

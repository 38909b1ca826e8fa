import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { createSecretFile, findConfig, type RepoConfig, readSettings, type Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { holdLock, openState } from '@mergexo/state';
import type { Context } from '../context.js';
import { createTell } from '../eval/report-eval.js';
import { addApp } from '../init/app/add-app.js';
import { resolveOptions } from '../init/app/app-options.js';
import { awaitInstallation } from '../init/app/await-installation.js';
import { writeComposeFiles } from '../init/compose-files.js';
import { createLabels, describeLabels } from '../init/create-labels.js';
import type { InitOptions } from '../init/init-options.js';
import type { InstalledFile, Result } from '../init/installed-file.js';
import { renderNewConfig } from '../init/render-new-config.js';
import { withSettings } from '../init/with-settings.js';

/** Creates everything that a first start needs. Safe to repeat: keeps existing files and adds missing ones. */
export async function init(context: Context, given: InitOptions): Promise<void> {
  const options = resolveOptions(given);
  const configPath = chooseConfigPath(context, options);
  const dryRun = options.dryRun === true;
  const tell = createTell(context, (line) => void process.stderr.write(line));
  const wantsApp = options.app === true && !dryRun;
  const draft = { configPath, text: await renderNewConfig(context, configPath, options) };
  const text = wantsApp ? await addApp(context, draft, { options, tell }) : draft.text;
  const { files, notes = [], repos = [] } = install(context, options, { configPath, text });
  if (wantsApp) await awaitInstallation(context, configPath, { tell, browser: options.browser !== false });
  const labels = dryRun
    ? { files: [], notes: options.labels ? repos.map(describeLabels) : [] }
    : await createLabels(context, { files, configPath }, options);
  const all = [...files, ...labels.files];
  const next = dryRun ? 'Nothing was changed.' : options.compose ? NEXT_COMPOSE : NEXT;
  const hints = [...notes, ...labels.notes];
  context.print({ ok: true, dry_run: dryRun, files: all, notes: hints, next }, () => [
    ...all.map(({ name, path, result }) => `${result.padEnd(8)} ${name.padEnd(10)} ${path}`),
    '',
    ...hints,
    next,
  ]);
}

/** Compose mounts the config from the directory of the other files. */
function chooseConfigPath({ configPath, env, homeDir }: Context, { compose }: InitOptions): string {
  const named = configPath ?? (env['MERGEXO_CONFIG'] || undefined);
  if (compose) return resolve(named ?? 'mergexo.toml');
  return findConfig({ configPath: named, env, homeDir }).path;
}

const NEXT = `Next: review the config, run \`${MERGEXO_CLI} doctor\`, then run \`${MERGEXO_CLI} up\`.`;
const NEXT_COMPOSE =
  'Next: if the agent uses no API key, log it in with `docker compose run --rm --no-deps worker login codex` (or ' +
  'claude). Then start MergeXO with `WORKERS=3 docker compose up`.';

function install(
  context: Context,
  { compose, dryRun = false }: InitOptions,
  { configPath, text }: { configPath: string; text: string | undefined },
): Report {
  if (compose) return writeComposeFiles(context, configPath, { config: text, dryRun });
  if (dryRun) return preview(context, configPath, text);
  return { files: createFiles(context, configPath, text) };
}

type Report = { files: InstalledFile[]; notes?: string[]; repos?: readonly RepoConfig[] };

function createFiles(context: Context, configPath: string, text: string | undefined): InstalledFile[] {
  if (text !== undefined) {
    mkdirSync(dirname(configPath), { recursive: true });
    // The config contains no secret, and other users must be able to read it, for example in a container.
    writeFileSync(configPath, text, { flag: 'wx', mode: 0o644 });
  }
  const settings = readSettings({ ...context, configPath });
  rejectLostSecret(settings);
  const files = listFiles(settings, { configPath, isNew: text !== undefined, ifMissing: 'created' });

  mkdirSync(settings.config.runtime.baseDir, { recursive: true, mode: 0o700 });
  // Creates the secret first, because a database without a secret means that the secret was lost.
  if (settings.signingSecret === undefined) createSecretFile(settings.paths.secret);
  if (!existsSync(settings.paths.database)) createDatabase(settings.paths);
  return files;
}

/** Lists what `init` would create, without creating it. */
function preview(context: Context, configPath: string, text: string | undefined): Report {
  return withSettings(context, { configPath, text }, (settings) => {
    rejectLostSecret(settings);
    const files = listFiles(settings, { configPath, isNew: text !== undefined, ifMissing: 'missing' });
    return { files, repos: settings.config.repos };
  });
}

/** Lists the files and directories of an installation. Those that do not exist yet get the result `ifMissing`. */
function listFiles(
  { config, paths, signingSecret }: Settings,
  { configPath, isNew, ifMissing }: { configPath: string; isNew: boolean; ifMissing: Result },
): InstalledFile[] {
  const inspect = (name: string, path: string): InstalledFile => ({
    name,
    path,
    result: existsSync(path) ? 'kept' : ifMissing,
  });
  return [
    { name: 'config', path: configPath, result: isNew ? ifMissing : 'kept' },
    inspect('directory', config.runtime.baseDir),
    // If MERGEXO_SECRET is set, `init` creates no secret file, because somebody could later mistake the file
    // for the real secret.
    signingSecret === undefined
      ? inspect('secret', paths.secret)
      : { name: 'secret', path: 'MERGEXO_SECRET', result: 'kept' },
    inspect('database', paths.database),
  ];
}

/**
 * Fails if the database exists without its secret. A new secret would hide the loss, and MergeXO would not recognize
 * its older comments.
 */
function rejectLostSecret({ paths, signingSecret }: Settings): void {
  if (signingSecret !== undefined || existsSync(paths.secret) || !existsSync(paths.database)) return;
  throw new Failure(
    'conflict',
    `${paths.database} exists, but its signing secret ${paths.secret} is missing. With a new secret, MergeXO would not recognize ` +
      'comments signed with the old one, so `init` did not create one. Restore that file from a backup (mode 600), or ' +
      `set MERGEXO_SECRET to its content. If the secret is lost, run \`${MERGEXO_CLI} adopt --repo <owner/name>\`.`,
  );
}

/** Creates the database under the poller's lock, so that a starting poller does not create it at the same time. */
function createDatabase({ lock, database }: Settings['paths']): void {
  const startedAt = new Date().toISOString();
  const held = holdLock(lock, { pid: process.pid, host: hostname(), startedAt, purpose: 'mergexo init' });
  openState(database).close();
  held.release();
}

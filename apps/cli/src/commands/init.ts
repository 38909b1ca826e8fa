import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  createSecretFile,
  parseConfig,
  type RepoConfig,
  readConfig,
  readSettings,
  renderConfigExample,
  type Settings,
} from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { listFlowLabels } from '@mergexo/core/flows';
import { holdLock, openState } from '@mergexo/state';
import { askPoller } from '../ask-poller.js';
import type { Context } from '../context.js';
import { askForMissing, type InitOptions, rejectConflictingOptions } from '../init/init-options.js';

type Result = 'created' | 'kept' | 'missing';
type InstalledFile = { name: string; path: string; result: Result };

/** Creates everything that a first start needs. Safe to repeat: keeps existing files and adds missing ones. */
export async function init(context: Context, options: InitOptions): Promise<void> {
  const configPath = resolve(context.configPath ?? context.env['MERGEXO_CONFIG'] ?? 'mergexo.toml');
  const text = await renderConfig(context, configPath, options);
  const { files, repos } = options.dryRun
    ? preview(context, configPath, text)
    : { files: createFiles(context, configPath, text), repos: [] };
  const labels = options.dryRun
    ? { files: [], notes: options.labels ? repos.map(describeLabels) : [] }
    : await createLabels(context, configPath, options).catch((error: unknown) => {
        throw addFiles(error, files, configPath);
      });
  const all = [...files, ...labels.files];
  const next = options.dryRun ? 'Nothing was changed.' : NEXT;
  context.print({ ok: true, dry_run: options.dryRun === true, files: all, notes: labels.notes, next }, () => [
    ...all.map(({ name, path, result }) => `${result.padEnd(8)} ${name.padEnd(10)} ${path}`),
    '',
    ...labels.notes,
    next,
  ]);
}

const NEXT = `Next: review the config, run \`${MERGEXO_CLI} doctor\`, then run \`${MERGEXO_CLI} up\`.`;

/** Returns the validated text of the new config, or undefined if the config exists. */
async function renderConfig(
  context: Context,
  path: string,
  options: InitOptions,
): Promise<string | undefined> {
  if (existsSync(path)) {
    const config = readConfig(path, { homeDir: context.homeDir, redisPasswordGiven: true });
    rejectConflictingOptions(config, path, options);
    return undefined;
  }
  const text = renderConfigExample({ values: await askForMissing(context, options) });
  parseConfig(text, { homeDir: context.homeDir, sourceName: 'the new config' });
  return text;
}

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

/** Lists what `init` would create, without creating it. Reads a draft config in a temporary directory. */
function preview(
  context: Context,
  configPath: string,
  text: string | undefined,
): { files: InstalledFile[]; repos: readonly RepoConfig[] } {
  const directory = mkdtempSync(join(tmpdir(), 'mergexo-init-'));
  try {
    const draft = join(directory, 'mergexo.toml');
    if (text !== undefined) writeFileSync(draft, text, { mode: 0o600 });
    const source = text === undefined ? configPath : draft;
    const settings = readSettings({ ...context, configPath: source });
    rejectLostSecret(settings);
    const files = listFiles(settings, { configPath, isNew: text !== undefined, ifMissing: 'missing' });
    return { files, repos: settings.config.repos };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
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

function describeLabels({ fullName, labels, review, reviewEnabled }: RepoConfig): string {
  const flowLabels = listFlowLabels(labels).map(({ name }) => name);
  const names = [...flowLabels, labels.ignore, ...(reviewEnabled ? [review.escalationLabel] : [])];
  return `Would create missing labels in ${fullName}: ${names.join(', ')}`;
}

/** Adds the list of files to a label error, because `init` creates labels after it has written all files. */
function addFiles(error: unknown, files: readonly InstalledFile[], configPath: string): unknown {
  if (!(error instanceof Failure)) return error;
  const written = files.map(({ name, path, result }) => `${result} ${name} ${path}`).join(', ');
  const message = `${error.message}\nEverything else is done: ${written}. Fix the problem, then run \`${MERGEXO_CLI} init --config ${configPath} --labels\`.`;
  return new Failure(error.kind, message, { cause: error });
}

/** Creates labels on GitHub only if the user asked for them. */
async function createLabels(
  context: Context,
  configPath: string,
  { labels }: InitOptions,
): Promise<{ files: InstalledFile[]; notes: string[] }> {
  const none = { files: [], notes: [] };
  if (labels === false) return none;
  const wanted = labels ?? (await context.confirm?.('Create the labels on GitHub now?'));
  if (wanted === undefined)
    return {
      files: [],
      notes: [`To create the labels on GitHub, run \`${MERGEXO_CLI} init --labels\`.`, ''],
    };
  if (!wanted) return none;
  type CreatedLabel = { repo: string; label: string; done: Result };
  const request = { configPath, env: context.env };
  const { labels: created } = await askPoller<{ labels: CreatedLabel[] }>('create-labels', request);
  return {
    files: created.map(({ repo, label, done }) => ({
      name: 'label',
      path: `${repo} ${label}`,
      result: done,
    })),
    notes: [],
  };
}

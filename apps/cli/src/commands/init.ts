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
import type { Context } from '../context.js';
import { createLabels } from '../init/create-labels.js';
import { askForMissing, refuseOtherWishes, type Wishes } from '../init/wishes.js';

export type InitOptions = Wishes & { dryRun?: boolean; labels?: boolean };
type Done = 'created' | 'kept' | 'missing';
type Made = { what: string; path: string; done: Done };

/** Everything that a first start needs. Run it as often as you like: it keeps what is there and adds what is missing. */
export async function init(context: Context, options: InitOptions): Promise<void> {
  const configPath = resolve(context.configPath ?? context.env['MERGEXO_CONFIG'] ?? 'mergexo.toml');
  const text = await renderConfig(context, configPath, options);
  const { made, repos } = options.dryRun
    ? preview(context, configPath, text)
    : { made: makeAll(context, configPath, text), repos: [] };
  const labels = options.dryRun
    ? { made: [], notes: options.labels ? repos.map(describeLabels) : [] }
    : await makeLabels(context, configPath, options).catch((error: unknown) => {
        throw addMade(error, made, configPath);
      });
  const all = [...made, ...labels.made];
  const next = options.dryRun ? 'Nothing was changed.' : NEXT;
  context.print({ ok: true, dry_run: options.dryRun === true, made: all, notes: labels.notes, next }, () => [
    ...all.map(({ what, path, done }) => `${done.padEnd(8)} ${what.padEnd(10)} ${path}`),
    '',
    ...labels.notes,
    next,
  ]);
}

const NEXT = `Next: look through the config, then run \`${MERGEXO_CLI} doctor\`, and \`${MERGEXO_CLI} up\`.`;

/** The text of the new file; undefined where there is one already. What does not pass is not written. */
async function renderConfig(
  context: Context,
  path: string,
  options: InitOptions,
): Promise<string | undefined> {
  if (existsSync(path)) {
    refuseOtherWishes(
      readConfig(path, { homeDir: context.homeDir, redisPasswordGiven: true }),
      path,
      options,
    );
    return undefined;
  }
  const text = renderConfigExample({ values: await askForMissing(context, options) });
  parseConfig(text, { homeDir: context.homeDir, sourceName: 'the new config' });
  return text;
}

function makeAll(context: Context, configPath: string, text: string | undefined): Made[] {
  if (text !== undefined) {
    mkdirSync(dirname(configPath), { recursive: true });
    // There is no secret in it, and in a container another user must read it.
    writeFileSync(configPath, text, { flag: 'wx', mode: 0o644 });
  }
  const settings = readSettings({ configPath, env: context.env, homeDir: context.homeDir });
  refuseLostSecret(settings);
  const made = list(settings, configPath, text === undefined ? 'kept' : 'created', 'created');

  mkdirSync(settings.config.runtime.baseDir, { recursive: true, mode: 0o700 });
  // The secret first: a database without one means that it was lost.
  if (settings.signingSecret === undefined) createSecretFile(settings.paths.secret);
  if (!existsSync(settings.paths.database)) createDatabase(settings.paths);
  return made;
}

/** The same list without doing anything: a new config is read from a place where nobody finds it. */
function preview(
  context: Context,
  configPath: string,
  text: string | undefined,
): { made: Made[]; repos: readonly RepoConfig[] } {
  const directory = mkdtempSync(join(tmpdir(), 'mergexo-init-'));
  try {
    const draft = join(directory, 'mergexo.toml');
    if (text !== undefined) writeFileSync(draft, text, { mode: 0o600 });
    const from = text === undefined ? configPath : draft;
    const settings = readSettings({ configPath: from, env: context.env, homeDir: context.homeDir });
    refuseLostSecret(settings);
    const made = list(settings, configPath, text === undefined ? 'kept' : 'missing', 'missing');
    return { made, repos: settings.config.repos };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function list(
  { config, paths, signingSecret }: Settings,
  configPath: string,
  file: Done,
  done: Done,
): Made[] {
  const look = (what: string, path: string): Made => ({ what, path, done: existsSync(path) ? 'kept' : done });
  return [
    { what: 'config', path: configPath, done: file },
    look('directory', config.runtime.baseDir),
    // An unused file beside the environment's would one day be taken for the real one.
    signingSecret === undefined
      ? look('secret', paths.secret)
      : { what: 'secret', path: 'MERGEXO_SECRET', done: 'kept' },
    look('database', paths.database),
  ];
}

/** A new secret would not know the comments that the old one signed, and nobody would notice that it was lost. */
function refuseLostSecret({ paths, signingSecret }: Settings): void {
  if (signingSecret !== undefined || existsSync(paths.secret) || !existsSync(paths.database)) return;
  throw new Failure(
    'conflict',
    `${paths.database} is there, but its signing secret ${paths.secret} is not. A new secret would not know the ` +
      'comments that were signed with the old one, so none was made. Restore that file from a backup (mode 600), or ' +
      `set MERGEXO_SECRET to what it held. If it is lost for good, run \`${MERGEXO_CLI} adopt --repo <owner/name>\`.`,
  );
}

/** Under the poller's lock, so that a poller that starts right now does not make it as well. */
function createDatabase({ lock, database }: Settings['paths']): void {
  const startedAt = new Date().toISOString();
  const held = holdLock(lock, { pid: process.pid, host: hostname(), startedAt, purpose: 'mergexo init' });
  openState(database).close();
  held.release();
}

function describeLabels({ fullName, labels, review, reviewEnabled }: RepoConfig): string {
  const asking = listFlowLabels(labels).map(({ name }) => name);
  const names = [...asking, labels.ignore, ...(reviewEnabled ? [review.escalationLabel] : [])];
  return `Labels that ${fullName} would get where they are missing: ${names.join(', ')}`;
}

/** The labels come last: whoever reads that they failed must know that the rest was written. */
function addMade(error: unknown, made: readonly Made[], configPath: string): unknown {
  if (!(error instanceof Failure)) return error;
  const done = made.map(({ what, path, done }) => `${done} ${what} ${path}`).join(', ');
  const message = `${error.message}\nEverything else is done: ${done}. Fix this, then run \`${MERGEXO_CLI} init --config ${configPath} --labels\`.`;
  return new Failure(error.kind, message, { cause: error });
}

/** Labels are made on GitHub, so only when somebody said so. Without them everything else is done all the same. */
async function makeLabels(
  context: Context,
  configPath: string,
  { labels }: InitOptions,
): Promise<{ made: Made[]; notes: string[] }> {
  const none = { made: [], notes: [] };
  if (labels === false) return none;
  const wanted = labels ?? (await context.confirm?.('Create the labels on GitHub now?'));
  if (wanted === undefined)
    return { made: [], notes: [`Create the labels on GitHub with \`${MERGEXO_CLI} init --labels\`.`, ''] };
  if (!wanted) return none;
  const made = await createLabels(configPath, context);
  return {
    made: made.map(({ repo, label, done }) => ({ what: 'label', path: `${repo} ${label}`, done })),
    notes: [],
  };
}

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { deriveWorkerKey, readSecret } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import type { Context } from '../context.js';
import type { InstalledFile } from './installed-file.js';

const ROOT = new URL('../../../../', import.meta.url);
const CONFIG = 'mergexo.toml';
/** All workers of the compose file share this name, because they have the same environment. */
const WORKER_NAME = 'compose';

/** Values that people provide. `init` copies them from its environment. */
const REQUIRED = ['GITHUB_TOKEN', 'WORKER_GITHUB_TOKEN'];
const COPIED = [
  ...REQUIRED,
  'MERGEXO_REVIEWER_TOKEN',
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
];

type Written = { files: InstalledFile[]; notes: string[] };

/** Writes everything that `docker compose up` needs into the config's directory. Never changes an existing file. */
export function writeComposeFiles(
  { env }: Pick<Context, 'env'>,
  configPath: string,
  { config, dryRun }: { config: string | undefined; dryRun: boolean },
): Written {
  if (basename(configPath) !== CONFIG)
    throw new UsageError(
      `docker-compose.yml mounts a file called ${CONFIG}, not ${basename(configPath)}. Use another name with --config.`,
    );
  const directory = dirname(configPath);
  const envPath = join(directory, '.env');
  const text = existsSync(envPath) ? readFileSync(envPath, 'utf8') : renderEnv(env);
  const write = (name: string, content: () => string, mode: number): InstalledFile => {
    const path = join(directory, name);
    if (existsSync(path)) return { name, path, result: 'kept' };
    if (dryRun) return { name, path, result: 'missing' };
    mkdirSync(directory, { recursive: true });
    writeFileSync(path, content(), { flag: 'wx', mode });
    return { name, path, result: 'created' };
  };
  const files = [
    write('.env', () => text, 0o600),
    // The containers read the config as another user.
    write(CONFIG, () => config ?? '', 0o644),
    write('docker-compose.yml', () => readTemplate('docker-compose.yml'), 0o644),
  ];
  const empty = listEmpty(text);
  return { files, notes: empty.length === 0 ? [] : [`Set in ${envPath}: ${empty.join(', ')}`] };
}

const readTemplate = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8');

/** Fills in .env.example. */
function renderEnv(env: Context['env']): string {
  const secret = env['MERGEXO_SECRET'] || randomBytes(32).toString('hex');
  const copied = COPIED.map((name) => [name, env[name] ?? ''] as const);
  const values = new Map<string, string>([
    ...copied,
    ['MERGEXO_REDIS_PASSWORD', randomBytes(32).toString('hex')],
    ['MERGEXO_SECRET', secret],
    ['MERGEXO_WORKER_KEY', deriveWorkerKey(readSecret('MERGEXO_SECRET', secret), WORKER_NAME)],
    ['MERGEXO_DASHBOARD_PASSWORD', randomBytes(18).toString('base64url')],
  ]);
  return readTemplate('.env.example').replace(
    /^(\w+)=$/gm,
    (_line, name: string) => `${name}=${quote(name, values.get(name) ?? '')}`,
  );
}

/** Compose would replace `$` and cut off at `#` in a value without quotes. */
function quote(name: string, value: string): string {
  if (/^[\w.:/+=-]*$/.test(value)) return value;
  if (/['\r\n]/.test(value))
    throw new UsageError(`${name} contains a quote or a line break, which .env cannot hold. Unset it.`);
  return `'${value}'`;
}

/** Lists the required values that the file leaves empty. */
function listEmpty(text: string): string[] {
  const required = [
    ...['MERGEXO_REDIS_PASSWORD', 'MERGEXO_SECRET', 'MERGEXO_WORKER_KEY', 'MERGEXO_DASHBOARD_PASSWORD'],
    ...REQUIRED,
  ];
  const set = text.split('\n').map((line) => /^(\w+)=\s*\S/.exec(line)?.[1]);
  return required.filter((name) => !set.includes(name));
}

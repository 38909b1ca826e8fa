import { existsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';

type Surroundings = {
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  platform?: NodeJS.Platform;
};

const CONFIG = 'mergexo.toml';
const MAC_DIRECTORY = 'Library/Application Support/mergexo';

/**
 * Finds the config: the named file, else $MERGEXO_CONFIG, else `./mergexo.toml` if it exists, else the file in the
 * user's config directory. `absent` is a file that was tried first, and does not exist.
 */
export function findConfig({ configPath, env, ...user }: Surroundings & { configPath: string | undefined }): {
  path: string;
  absent?: string;
} {
  const named = configPath ?? env['MERGEXO_CONFIG'];
  if (named !== undefined && named !== '') return { path: resolve(named) };
  const local = resolve(CONFIG);
  if (existsSync(local)) return { path: local };
  return { path: join(chooseConfigDirectory({ env, ...user }), CONFIG), absent: local };
}

/**
 * Finds the data directory of the platform. Earlier versions used `~/.local/share/mergexo` everywhere, so MergeXO keeps
 * using that directory as long as there is no other.
 */
export function findDataDirectory(surroundings: Surroundings): string {
  const earlier = join(surroundings.homeDir, '.local/share/mergexo');
  const usual = chooseDataDirectory(surroundings);
  return !existsSync(usual) && existsSync(earlier) ? earlier : usual;
}

function chooseConfigDirectory({ env, homeDir, platform = process.platform }: Surroundings): string {
  if (platform === 'darwin') return join(homeDir, MAC_DIRECTORY);
  return join(readXdg(env['XDG_CONFIG_HOME']) ?? join(homeDir, '.config'), 'mergexo');
}

function chooseDataDirectory({ env, homeDir, platform = process.platform }: Surroundings): string {
  if (platform === 'darwin') return join(homeDir, MAC_DIRECTORY);
  return join(readXdg(env['XDG_DATA_HOME']) ?? join(homeDir, '.local/share'), 'mergexo');
}

/** The XDG specification says that programs ignore relative paths. */
export function readXdg(path: string | undefined): string | undefined {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

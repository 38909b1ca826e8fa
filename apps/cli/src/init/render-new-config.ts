import { existsSync } from 'node:fs';
import { parseConfig, readConfig, renderConfigExample } from '@mergexo/config';
import type { Context } from '../context.js';
import { askForMissing, type InitOptions, rejectConflictingOptions } from './init-options.js';

/** Returns the validated text of the new config, or undefined if the config exists. */
export async function renderNewConfig(
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

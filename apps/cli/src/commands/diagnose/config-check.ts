import { ConfigError, readSettings } from '@mergexo/config';
import type { Context } from '../../context.js';

/** Checks the config file alone, without GitHub, agents or a database. Lists every problem at once. */
export function checkConfigFile(context: Context): boolean {
  try {
    const { configPath, config } = readSettings(context);
    const repos = config.repos.map(({ fullName }) => fullName);
    context.print({ ok: true, file: configPath, problems: [], repos }, () => [
      `${configPath} is valid: ${repos.join(', ')}.`,
    ]);
    return true;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { sourceName: file, problems, message } = error;
    context.print({ ok: false, file, problems }, () => [
      message,
      'docs/configuration.md describes every key.',
    ]);
    return false;
  }
}

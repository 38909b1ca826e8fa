import { ConfigError, readSettings, type Settings } from '@mergexo/config';
import type { Context } from '../context.js';
import type { Finding } from './finding.js';

export function checkConfig(context: Context): { finding: Finding; settings?: Settings } {
  try {
    const settings = readSettings(context);
    const { repos } = settings.config;
    const names = repos.map(({ fullName }) => fullName).join(', ');
    const detail = `${settings.configPath}: ${repos.length === 1 ? 'one repository' : `${repos.length} repositories`} (${names})`;
    return { finding: { name: 'config', status: 'ok', detail }, settings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const fix = 'Fix the problems listed above. docs/configuration.md describes every key.';
    return { finding: { name: 'config', status: 'failure', detail: error.message, fix } };
  }
}

import type { Settings } from '@mergexo/config';
import { askPoller } from '../ask-poller.js';
import type { Context } from '../context.js';
import type { Finding } from './finding.js';

/** Whether GitHub answers, takes the login, and lets it do what is needed. Part of the poller: only that talks to GitHub. */
export async function checkGitHub({ configPath }: Settings, { env }: Context): Promise<Finding[]> {
  try {
    const { findings }: { findings: Finding[] } = JSON.parse(
      await askPoller('bin/inspect-github-main', configPath, env),
    );
    return findings;
  } catch (error) {
    const detail = `GitHub could not be looked at: ${error instanceof Error ? error.message : error}`;
    return [{ name: 'github', status: 'warning', detail }];
  }
}

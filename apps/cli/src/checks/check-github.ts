import type { Settings } from '@mergexo/config';
import { askPoller } from '../ask-poller.js';
import type { Context } from '../context.js';
import { type Finding, messageOf } from './finding.js';

/** Checks that GitHub responds, accepts the login and grants the permissions. Only the poller's code calls GitHub. */
export async function checkGitHub({ configPath }: Settings, { env }: Context): Promise<Finding[]> {
  try {
    return (await askPoller<{ findings: Finding[] }>('inspect-github-main', { configPath, env })).findings;
  } catch (error) {
    const detail = `could not check GitHub: ${messageOf(error)}`;
    return [{ name: 'github', status: 'warning', detail }];
  }
}

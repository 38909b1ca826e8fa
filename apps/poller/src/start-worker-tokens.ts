import type { Settings } from '@mergexo/config';
import {
  createWorkerTokens,
  type WorkerTokens,
  type WorkerTokenTools,
} from './ledger/tokens/worker-tokens.js';
import { repeat } from './repeat.js';
import type { GitHubLink } from './tools.js';

/** How soon a token is revoked after the end of its turn. */
const PAUSE_MS = 1_000;

/**
 * Starts the loop that revokes workers' tokens. Undefined unless MergeXO runs as a GitHub App: workers then use their
 * own login.
 */
export function startWorkerTokens(
  { config }: Pick<Settings, 'config'>,
  { link, ...tools }: Omit<WorkerTokenTools, 'app' | 'findRepo' | 'workflows'> & { link: GitHubLink },
  { cleanups, onError }: { cleanups: (() => unknown)[]; onError: (error: unknown) => void },
): WorkerTokens | undefined {
  const { app } = link;
  if (app === undefined) return undefined;
  const tokens = createWorkerTokens({
    ...tools,
    app,
    findRepo: (repoId) => link.connected()?.repos.find(({ id }) => id === repoId),
    workflows: config.github.app?.workflows === true,
  });
  const revoking = repeat(tokens.revokeEnded, { pauseMs: PAUSE_MS, onError });
  cleanups.push(() => revoking.stop());
  return tokens;
}

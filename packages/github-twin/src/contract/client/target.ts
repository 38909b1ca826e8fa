import type { Target } from './client.js';

/**
 * A real repository to run the contract suite against, from the environment. The suite opens issues, pushes and
 * merges, so it refuses any repository whose name does not say that it is there for that.
 */
export function readRealTarget(env: Record<string, string | undefined>): Target | undefined {
  const repo = env['MERGEXO_CONTRACT_REPO'];
  if (!repo) return undefined;
  const token = env['MERGEXO_CONTRACT_TOKEN'];
  if (!/^[\w.-]+\/[\w.-]*sandbox[\w.-]*$/i.test(repo))
    throw new Error(`MERGEXO_CONTRACT_REPO=${repo} is refused: its name must contain "sandbox"`);
  if (!token) throw new Error('MERGEXO_CONTRACT_TOKEN is missing');
  return {
    repo,
    token,
    apiUrl: (env['MERGEXO_CONTRACT_API_URL'] ?? 'https://api.github.com').replace(/\/$/, ''),
    gitUrl: env['MERGEXO_CONTRACT_GIT_URL'] ?? `https://github.com/${repo}.git`,
  };
}

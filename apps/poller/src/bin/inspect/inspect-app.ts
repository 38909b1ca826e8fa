import type { Config } from '@mergexo/config';
import { describeHost, Failure } from '@mergexo/core/basics';
import type { Login } from '../../connect/create-login.js';
import { askGitHub, type GitHubAccess } from './ask-github.js';
import { describeAccess } from './describe-access.js';
import { type Finding, failure, ok } from './finding.js';
import { inspectPeople } from './inspect-people.js';
import { inspectRepo } from './inspect-repo.js';
import { inspectServer } from './inspect-server.js';

type AppTools = { config: Config; login: Login; access: Omit<GitHubAccess, 'token'> };

/** Checks GitHub with the poller's App. Changes nothing. */
export async function inspectApp({ config, login, access }: AppTools): Promise<Finding[]> {
  const { token } = login.auth;
  const known = await login.app?.identify(config.repos.map(({ fullName }) => fullName)).catch(toFinding);
  if (known === undefined || 'status' in known) return known === undefined ? [] : [known];
  const repos = config.repos.map(async (repo) => {
    try {
      const secret = await token(repo.fullName);
      const ask = (path: string) => askGitHub({ ...access, token: secret }, path);
      const { findings } = await inspectRepo(ask, repo, { name: known.login, isApp: true });
      return [...findings, ...(await inspectAccess({ config, login }, repo.fullName))];
    } catch (error) {
      return [toFinding(error)];
    }
  });
  const secret = await token(undefined).catch(() => undefined);
  const people =
    secret === undefined
      ? []
      : await inspectPeople((path) => askGitHub({ ...access, token: secret }, path), config.repos);
  const server =
    secret === undefined
      ? []
      : await inspectServer((path) => askGitHub({ ...access, token: secret }, path), access.apiUrl);
  return [
    ok('login', `${known.login} at ${access.apiUrl}`),
    ...server,
    ...(await Promise.all(repos)).flat(),
    ...people,
  ];
}

async function inspectAccess({ config, login }: Omit<AppTools, 'access'>, repo: string): Promise<Finding[]> {
  const { github, webhook } = config;
  if (login.app === undefined) return [];
  return describeAccess(await login.app.describe(repo), {
    repo,
    webUrl: describeHost(github.apiUrl).webUrl,
    workflows: github.app?.workflows ?? false,
    hasWebhook: webhook.listen !== undefined,
  });
}

function toFinding(error: unknown): Finding {
  if (!(error instanceof Failure)) throw error;
  const fix = 'See "Run as a GitHub App" in docs/operations.md.';
  return failure('login', error.message, fix);
}

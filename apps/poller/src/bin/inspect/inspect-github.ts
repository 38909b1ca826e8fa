import type { Config } from '@mergexo/config';
import { Failure, type ProxySettings } from '@mergexo/core/basics';
import { createFetch } from '@mergexo/github';
import { z } from 'zod';
import { type Answer, askGitHub } from './ask-github.js';
import { type Finding, failure, ok, warning } from './finding.js';
import { inspectPeople } from './inspect-people.js';
import { inspectRepo } from './inspect-repo.js';
import { inspectReviewer } from './inspect-reviewer.js';
import { inspectServer } from './inspect-server.js';

export type { Finding } from './finding.js';

type Tools = {
  config: Config;
  token: () => Promise<string>;
  reviewerToken: string | undefined;
  now: () => number;
  proxy?: ProxySettings;
};

const Viewer = z.object({ login: z.string() });

/** Checks GitHub with the poller's login and suggests a fix for each problem. Changes nothing. */
export async function inspectGitHub({ config, token, reviewerToken, now, proxy }: Tools): Promise<Finding[]> {
  const { apiUrl } = config.github;
  const secret = await findSecret(token);
  if (typeof secret !== 'string') return [secret];
  const access = { apiUrl, now, fetch: createFetch(proxy) };
  const ask = (path: string) => askGitHub({ ...access, token: secret }, path);

  const viewer = await ask('/user');
  if (viewer.kind === 'silent') return [describeSilence(apiUrl, viewer.reason)];
  const clock = checkClock(viewer);
  const login = checkLogin(viewer, apiUrl);
  if (login.status === 'failure') return [login, clock];
  const { login: name } = Viewer.parse(viewer.data);
  const people = inspectPeople(ask, config.repos);
  const repos = [];
  for (const repo of config.repos) repos.push(await inspectRepo(ask, repo, { name, isApp: false }));
  const reviewer =
    reviewerToken === undefined
      ? []
      : await inspectReviewer(
          (path) => askGitHub({ ...access, token: reviewerToken }, path),
          config.repos,
          name,
        );
  const isPrivate = repos.some((report) => report.isPrivate);
  return [
    login,
    ...(await inspectServer(ask, apiUrl)),
    checkScopes(viewer, isPrivate),
    clock,
    ...repos.flatMap(({ findings }) => findings),
    ...(await people),
    ...reviewer,
  ];
}

async function findSecret(token: () => Promise<string>): Promise<string | Finding> {
  try {
    return await token();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const fix = 'Set GITHUB_TOKEN in the environment, or run `gh auth login`.';
    return failure('login', error.message, fix);
  }
}

/** Codes and messages of failed certificate checks, such as `SELF_SIGNED_CERT_IN_CHAIN`. */
const CERTIFICATE = /certificate|_CERT|UNABLE_TO_/i;

function describeSilence(apiUrl: string, reason: string): Finding {
  const fix = CERTIFICATE.test(reason)
    ? 'Set NODE_EXTRA_CA_CERTS to a PEM file with the certificate authority of this server, before MergeXO starts.'
    : 'Check that this machine reaches that address (network, proxy), and correct github.api_url.';
  return failure('github', `${apiUrl} does not respond: ${reason}`, fix);
}

type Heard = Extract<Answer, { kind: 'heard' }>;

function checkLogin({ status, data, headers }: Heard, apiUrl: string): Finding {
  if (status === 401) {
    const fix =
      'Create a new token, or run `gh auth login` again. The token may have expired or been revoked.';
    return failure('login', 'GitHub rejects the token', fix);
  }
  const reset = Number(headers.get('x-ratelimit-reset'));
  if ((status === 403 || status === 429) && headers.get('x-ratelimit-remaining') === '0') {
    const until = new Date(reset * 1_000).toISOString();
    const fix = `Wait until ${until}, or check which other programs use this login: they share one limit.`;
    return failure('github', 'the rate limit of this login is used up', fix);
  }
  const parsed = Viewer.safeParse(data);
  if (status === 200 && parsed.success) return ok('login', `${parsed.data.login} at ${apiUrl}`);
  if (status >= 500) {
    const fix = 'Try again later. https://www.githubstatus.com shows whether GitHub has an outage.';
    return failure('github', `GitHub answers with ${status}`, fix);
  }
  if (status === 403) {
    const fix = 'Use the token of a person or a machine account: MergeXO must know the login it posts with.';
    return failure('login', 'GitHub returned no login for this token', fix);
  }
  const fix =
    'Correct github.api_url: https://api.github.com, or https://<host>/api/v3 for an Enterprise Server.';
  return failure('github', `${apiUrl} returned ${status}, so it does not look like the GitHub API`, fix);
}

/** Checks the scopes of a classic token. Other tokens have no scopes, so `inspectRepo` checks their permissions. */
function checkScopes({ headers }: Heard, isPrivate: boolean): Finding {
  const text = headers.get('x-oauth-scopes');
  if (text === null)
    return ok('scopes', 'a token without scopes; its permissions are checked per repository');
  const scopes = text.split(',').map((scope) => scope.trim());
  const given = text === '' ? 'none' : text;
  const enough = scopes.includes('repo') || (!isPrivate && scopes.includes('public_repo'));
  if (!enough) {
    const fix = 'Give the token the scope repo (`gh auth refresh -s repo,workflow`).';
    return failure('scopes', `the token cannot write to the repositories (scopes: ${given})`, fix);
  }
  if (!scopes.includes('workflow')) {
    const fix =
      'Give the token the scope workflow too (`gh auth refresh -s workflow`), if agents may change workflows.';
    return warning('scopes', `pushes that change .github/workflows are refused (scopes: ${given})`, fix);
  }
  return ok('scopes', given);
}

const MAX_SKEW_MS = 30_000;

/** Compares the clock with the `date` header, which has whole seconds and was written between request and response. */
function checkClock({ headers, askedAt, answeredAt }: Heard): Finding {
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return ok('clock', 'GitHub sent no time');
  const skew = theirs > answeredAt ? answeredAt - theirs : Math.max(0, askedAt - theirs - 1_000);
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= MAX_SKEW_MS) return ok('clock', `within ${seconds} s of GitHub's`);
  const detail = `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} GitHub`;
  const fix = 'Set the clock: turn on time synchronisation (`timedatectl set-ntp true`, or System Settings).';
  return warning('clock', detail, fix);
}

import type { Config } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { type Answer, askGitHub } from './ask-github.js';
import { type Finding, finding } from './finding.js';
import { inspectPeople } from './inspect-people.js';
import { inspectRepo } from './inspect-repo.js';
import { inspectReviewer } from './inspect-reviewer.js';

export type { Finding } from './finding.js';

type Tools = {
  config: Config;
  token: () => Promise<string>;
  reviewerToken: string | undefined;
  now: () => number;
};

const Viewer = z.object({ login: z.string() });

/** Looks at GitHub as the poller will meet it, changes nothing, and names the fix for whatever is wrong. */
export async function inspectGitHub({ config, token, reviewerToken, now }: Tools): Promise<Finding[]> {
  const { apiUrl } = config.github;
  const secret = await findSecret(token);
  if (typeof secret !== 'string') return [secret];
  const ask = (path: string) => askGitHub({ apiUrl, token: secret, now }, path);

  const viewer = await ask('/user');
  if (viewer.kind === 'silent') return [describeSilence(apiUrl, viewer.reason)];
  const clock = checkClock(viewer);
  const login = checkLogin(viewer, apiUrl);
  if (login.status === 'failure') return [login, clock];
  const { login: name } = Viewer.parse(viewer.data);
  const people = inspectPeople(ask, config.repos);
  const repos = [];
  for (const repo of config.repos) repos.push(await inspectRepo(ask, repo, name));
  const reviewer =
    reviewerToken === undefined
      ? []
      : await inspectReviewer(
          (path) => askGitHub({ apiUrl, token: reviewerToken, now }, path),
          config.repos,
          name,
        );
  const isPrivate = repos.some((report) => report.isPrivate);
  return [
    login,
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
    return finding('login', 'failure', error.message, fix);
  }
}

function describeSilence(apiUrl: string, reason: string): Finding {
  const fix =
    'Look whether this machine reaches that address (network, proxy, certificates), and mend github.api_url.';
  return finding('github', 'failure', `${apiUrl} does not answer: ${reason}`, fix);
}

type Heard = Extract<Answer, { kind: 'heard' }>;

function checkLogin({ status, data, headers }: Heard, apiUrl: string): Finding {
  if (status === 401) {
    const fix = 'Make a new token, or run `gh auth login` again; it may have expired or been revoked.';
    return finding('login', 'failure', 'GitHub refuses the token', fix);
  }
  const reset = Number(headers.get('x-ratelimit-reset'));
  if ((status === 403 || status === 429) && headers.get('x-ratelimit-remaining') === '0') {
    const until = new Date(reset * 1_000).toISOString();
    const fix = `Wait until ${until}, or find out what else uses this login: it has one limit for everything.`;
    return finding('github', 'failure', 'the rate limit of this login is used up', fix);
  }
  const parsed = Viewer.safeParse(data);
  if (status === 200 && parsed.success) return finding('login', 'ok', `${parsed.data.login} at ${apiUrl}`);
  if (status >= 500) {
    const fix = 'Try again later; https://www.githubstatus.com says whether GitHub is in trouble.';
    return finding('github', 'failure', `GitHub answers with ${status}`, fix);
  }
  if (status === 403) {
    const fix = 'Use the token of a person or of a machine account: MergeXO must know whom it speaks as.';
    return finding('login', 'failure', 'GitHub does not say whose token this is', fix);
  }
  const fix =
    'Mend github.api_url: https://api.github.com, or https://<host>/api/v3 for an Enterprise Server.';
  return finding('github', 'failure', `${apiUrl} answers with ${status}, but not as GitHub does`, fix);
}

/** Only classic tokens name their scopes; what others may do is seen at the repositories. */
function checkScopes({ headers }: Heard, isPrivate: boolean): Finding {
  const text = headers.get('x-oauth-scopes');
  if (text === null)
    return finding('scopes', 'ok', 'a token without scopes; its rights are checked per repository');
  const scopes = text.split(',').map((scope) => scope.trim());
  const given = text === '' ? 'none' : text;
  const enough = scopes.includes('repo') || (!isPrivate && scopes.includes('public_repo'));
  if (!enough) {
    const fix = 'Give the token the scope repo (`gh auth refresh -s repo,workflow`).';
    return finding(
      'scopes',
      'failure',
      `the token may not write to the repositories (scopes: ${given})`,
      fix,
    );
  }
  if (!scopes.includes('workflow')) {
    const fix =
      'Give the token the scope workflow too (`gh auth refresh -s workflow`), if agents may change workflows.';
    return finding(
      'scopes',
      'warning',
      `pushes that change .github/workflows are refused (scopes: ${given})`,
      fix,
    );
  }
  return finding('scopes', 'ok', given);
}

const MAX_SKEW_MS = 30_000;

/** The header has whole seconds and was written some time between question and answer. */
function checkClock({ headers, askedAt, answeredAt }: Heard): Finding {
  const theirs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(theirs)) return finding('clock', 'ok', 'GitHub does not tell the time');
  const skew = theirs > answeredAt ? answeredAt - theirs : Math.max(0, askedAt - theirs - 1_000);
  const seconds = Math.round(Math.abs(skew) / 1_000);
  if (Math.abs(skew) <= MAX_SKEW_MS) return finding('clock', 'ok', `within ${seconds} s of GitHub's`);
  const detail = `this machine is ${seconds} s ${skew > 0 ? 'ahead of' : 'behind'} GitHub`;
  const fix =
    'Set the clock: switch on time synchronisation (`timedatectl set-ntp true`, or System Settings).';
  return finding('clock', 'warning', detail, fix);
}

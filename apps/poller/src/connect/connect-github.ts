import { isLoopbackUrl, type Settings } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import type { SigningKeys } from '@mergexo/core/outbox';
import { type Connection, createGitHub, type GitHub, statusOf } from '@mergexo/github';
import { isDiskTrouble, type State } from '@mergexo/state';
import { startEarly } from '../in-parallel.js';
import type { Connected, GitHubLink, Repo } from '../tools.js';
import { createBotLogin, createLogin, type Login } from './create-login.js';
import type { Health } from './health.js';
import { linkReviewer, type Reviewer } from './link-reviewer.js';
import { noteAccounts } from './note-accounts.js';
import { createRateNotes } from './note-rate-left.js';
import { resolveRepos } from './resolve-repos.js';
import type { Outage } from './watch-outage.js';

type LinkTools = {
  state: State;
  log: Log;
  keys: SigningKeys;
  health: Pick<Health, 'report'>;
  outage?: Pick<Outage, 'hear'>;
  /** The config with the changes since the start. */
  live?: () => Settings['config'];
  onNews?: (path: string) => void;
  onWritten?: () => void;
  onRateLeft?: (left: number) => void;
  onFailure?: () => void;
  /** Sends the requests. Absent: over the network. */
  fetch?: Connection['fetch'];
};

const now = (): number => Date.now();

/** Connects to GitHub. If GitHub is unreachable or rejects the token, the rest of the poller keeps running. */
export function linkGitHub(settings: Settings, tools: LinkTools): GitHubLink {
  const login = createLogin(settings);
  const rateNotes = createRateNotes({ state: tools.state, now });
  const onOutcome = (failure: Failure | undefined): void => {
    if (failure !== undefined && statusOf(failure) === 401) login.renew();
    tools.outage?.hear(failure);
    if (failure !== undefined) tools.onFailure?.();
    tools.health.report('github', failure && isAboutGitHub(failure) ? failure : undefined);
  };
  const onRateLimit: Connection['onRateLimit'] = (limit) => {
    rateNotes.hear(limit);
    tools.onRateLeft?.(limit.left);
  };
  const { onNews = () => {}, onWritten = () => {} } = tools;
  const sending = tools.fetch && { fetch: tools.fetch };
  const hooks = { onRateLimit, onOutcome, onNews, onWritten };
  const github = open(settings, tools.log, { ...login.auth, ...hooks, ...sending });
  const reviewer = linkReviewer(openReviewer(settings, tools.log), tools.log);
  return {
    ...createConnect({ ...tools, github, reviewer, login, rateNotes, repos: settings.config.repos }),
    github,
    reviewer: reviewer.voice,
    app: login.app,
    async checkLogin() {
      try {
        await login.check();
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        onOutcome(error);
      }
    },
    redact: settings.redact,
  };
}

/** The reviewer is a second App, or the owner of a second token. */
function openReviewer(settings: Settings, log: Log): Reviewer | undefined {
  const { reviewerToken, config } = settings;
  if (config.review.app !== undefined) {
    const login = createBotLogin(settings, config.review.app);
    const github = open(settings, log, login.auth);
    return { github, identify: () => login.identify(github), name: '[review.app]' };
  }
  if (reviewerToken === undefined) return undefined;
  const github = open(settings, log, { token: async () => reviewerToken });
  return { github, identify: github.fetchViewer, name: 'MERGEXO_REVIEWER_TOKEN' };
}

function open(
  { config, proxy }: Settings,
  log: Log,
  options: Login['auth'] & Pick<Connection, 'onRateLimit' | 'onOutcome' | 'onNews' | 'onWritten' | 'fetch'>,
): GitHub {
  const { apiUrl } = config.github;
  return createGitHub({
    apiUrl,
    writable: config.repos.map(({ fullName }) => fullName),
    userAgent: 'mergexo',
    throttled: !isLoopbackUrl(apiUrl),
    proxy,
    now,
    log,
    ...options,
  });
}

function createConnect(
  tools: Omit<LinkTools, 'keys'> & {
    github: GitHub;
    reviewer: ReturnType<typeof linkReviewer>;
    login: Login;
    rateNotes: ReturnType<typeof createRateNotes>;
    repos: Settings['config']['repos'];
  },
): Pick<GitHubLink, 'connect' | 'connected'> {
  const { github, reviewer, log, login } = tools;
  const known = new Map<string, Repo>();
  let lastTrouble = '';
  let connected: Connected | undefined;
  return {
    connected: () => connected,
    async connect() {
      try {
        const resolved = startEarly(() => resolveRepos(tools, tools.repos, known));
        const self = await login.identify(github);
        const second = await reviewer.connect(self.id);
        try {
          await resolved;
        } finally {
          const repos = withLatest([...known.values()], tools.live?.());
          const accounts = second === undefined ? [self.id] : [self.id, second];
          connected = { viewer: { ...self, ids: noteAccounts({ ...tools, now }, repos, accounts) }, repos };
        }
        tools.rateNotes.keep(self.login);
        lastTrouble = '';
      } catch (error) {
        if (!(error instanceof Failure) || isDiskTrouble(error)) throw error;
        if (error.message !== lastTrouble)
          log.warn(
            { err: error },
            'could not read the login or a repository from GitHub; MergeXO retries in the next cycle',
          );
        lastTrouble = error.message;
      }
      return connected;
    },
  };
}

/** True for a rejected token, a 5xx or a missing response. Other failures affect single objects. */
function isAboutGitHub(failure: Failure): boolean {
  const status = statusOf(failure);
  return status === null || status === 401 || status >= 500;
}

/** Gives each repository its latest config. Keeps the objects of unchanged ones. */
function withLatest(repos: readonly Repo[], config: Settings['config'] | undefined): Repo[] {
  return repos.map((repo) => {
    const latest = config?.repos.find(({ id }) => id === repo.config.id);
    return latest === undefined ? repo : { ...repo, config: latest };
  });
}

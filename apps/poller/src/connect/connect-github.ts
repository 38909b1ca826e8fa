import { findToken, isLoopbackUrl, type Settings } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import type { SigningKeys } from '@mergexo/core/outbox';
import { createRedact } from '@mergexo/core/text';
import { type Connection, createGitHub, type GitHub, statusOf, type Viewer } from '@mergexo/github';
import { isDiskTrouble, type State } from '@mergexo/state';
import type { Connected, GitHubLink, Repo } from '../tools.js';
import type { Health } from './health.js';
import { linkReviewer } from './link-reviewer.js';
import { noteAccounts } from './note-accounts.js';
import { createRateNotes } from './note-rate-left.js';
import { resolveRepos } from './resolve-repos.js';
import type { Outage } from './watch-outage.js';

/** GitHub may be away or refuse the token at any time, also at the start: then everything else goes on without it. */
export function linkGitHub(
  settings: Settings,
  tools: {
    state: State;
    log: Log;
    keys: SigningKeys;
    health: Pick<Health, 'report'>;
    outage?: Pick<Outage, 'hear'>;
  },
): GitHubLink {
  const { config } = settings;
  const { apiUrl } = config.github;
  let token = '';
  const ask = findToken(settings, () => performance.now());
  const now = (): number => Date.now();
  const rateNotes = createRateNotes({ state: tools.state, now });
  const open = (
    secret: () => Promise<string>,
    listeners: Pick<Connection, 'onRateLimit' | 'onOutcome'> = {},
  ): GitHub =>
    createGitHub({
      apiUrl,
      token: secret,
      writable: config.repos.map(({ fullName }) => fullName),
      userAgent: 'mergexo',
      throttled: !isLoopbackUrl(apiUrl),
      now,
      log: tools.log,
      ...listeners,
    });
  const findLogin = async (): Promise<string> => {
    token = await ask();
    return token;
  };
  const onOutcome = (failure: Failure | undefined): void => {
    if (failure !== undefined && statusOf(failure) === 401) ask.renew();
    tools.outage?.hear(failure);
    tools.health.report('github', failure && isAboutGitHub(failure) ? failure : undefined);
  };
  const github = open(findLogin, { onRateLimit: (limit) => rateNotes.hear(limit), onOutcome });
  const { reviewerToken } = settings;
  const reviewer = linkReviewer(
    reviewerToken === undefined ? undefined : open(async () => reviewerToken),
    tools.log,
  );
  const known = new Map<string, Repo>();
  let viewer: Viewer | undefined;
  let viewerToken = '';
  let lastTrouble = '';
  let connected: Connected | undefined;

  const identify = async (): Promise<Viewer> => {
    if (viewer === undefined || token !== viewerToken) {
      viewer = await github.fetchViewer();
      viewerToken = token;
    }
    return viewer;
  };
  return {
    github,
    connected: () => connected,
    reviewer: reviewer.voice,
    async checkLogin() {
      try {
        await findLogin();
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        onOutcome(error);
      }
    },
    async connect() {
      try {
        const self = await identify();
        const second = await reviewer.connect(self.id);
        try {
          await resolveRepos({ ...tools, github }, config.repos, known);
        } finally {
          const repos = [...known.values()];
          const ids = noteAccounts(
            { ...tools, now },
            repos,
            second === undefined ? [self.id] : [self.id, second],
          );
          connected = { viewer: { ...self, ids }, repos };
        }
        rateNotes.keep(self.login);
        lastTrouble = '';
      } catch (error) {
        if (!(error instanceof Failure) || isDiskTrouble(error)) throw error;
        if (error.message !== lastTrouble)
          tools.log.warn({ err: error }, 'GitHub is not ready; trying again');
        lastTrouble = error.message;
      }
      return connected;
    },
    redact: (text) =>
      createRedact([...settings.secrets, token, tools.keys.current, ...tools.keys.older])(text),
  };
}

/** The token or the whole of GitHub; every other refusal is about one object, and GitHub answered. */
function isAboutGitHub(failure: Failure): boolean {
  const status = statusOf(failure);
  return status === null || status === 401 || status >= 500;
}

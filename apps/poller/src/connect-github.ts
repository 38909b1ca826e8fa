import { findToken, isLoopbackUrl, type Settings } from '@mergexo/config';
import { createRedact, Failure, type Log, type Redact, type SigningKeys } from '@mergexo/core';
import { createGitHub, type GitHub, type Viewer } from '@mergexo/github';
import type { State } from '@mergexo/state';
import { createRateNotes } from './note-rate-left.js';
import { type Repo, resolveRepos } from './repo.js';

export type Connected = { viewer: Viewer; repos: readonly Repo[] };

export type GitHubLink = {
  github: GitHub;
  /** Undefined while GitHub cannot tell us who we are and what the repositories are. */
  connected(): Connected | undefined;
  connect(): Promise<Connected | undefined>;
  /** Removes our credentials, the token included, from whatever is to be said. */
  redact: Redact;
};

/** GitHub may be away or refuse the token at any time, also at the start: then everything else goes on without it. */
export function linkGitHub(
  settings: Settings,
  tools: { state: State; log: Log; keys: SigningKeys },
): GitHubLink {
  const { config } = settings;
  const { apiUrl } = config.github;
  let token = '';
  const ask = findToken(settings, () => performance.now());
  const rateNotes = createRateNotes({ state: tools.state, now: () => Date.now() });
  const github = createGitHub({
    apiUrl,
    token: async () => {
      token = await ask();
      return token;
    },
    writable: config.repos.map(({ fullName }) => fullName),
    userAgent: 'mergexo',
    throttled: !isLoopbackUrl(apiUrl),
    now: () => Date.now(),
    log: tools.log,
    onRateLimit: (limit) => rateNotes.hear(limit),
  });
  const known = new Map<string, Repo>();
  let viewer: Viewer | undefined;
  let viewerToken = '';
  let lastTrouble = '';

  const connected = (): Connected | undefined => viewer && { viewer, repos: [...known.values()] };
  return {
    github,
    connected,
    async connect() {
      try {
        // Another login is another author: what it posted must be recognised as its own.
        if (viewer === undefined || token !== viewerToken) {
          viewer = await github.fetchViewer();
          viewerToken = token;
        }
        const [first] = await resolveRepos({ ...tools, github }, config.repos, known);
        if (first !== undefined) rateNotes.keep(first.id, viewer.login);
        lastTrouble = '';
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.message !== lastTrouble)
          tools.log.warn({ err: error }, 'GitHub is not ready; trying again');
        lastTrouble = error.message;
      }
      return connected();
    },
    redact: (text) =>
      createRedact([...settings.secrets, token, tools.keys.current, ...tools.keys.older])(text),
  };
}

/**
 * `data-residency`: GitHub Enterprise Cloud on a subdomain of ghe.com. `server`: GitHub Enterprise Server, or a local
 * stand-in for GitHub.
 */
export type GitHubHostKind = 'github.com' | 'data-residency' | 'server';

/** The addresses of one GitHub, derived from the address of its REST API. */
export type GitHubHost = {
  kind: GitHubHostKind;
  /** The host name that people and `gh` use. */
  name: string;
  /** The address of the website and of git remotes. */
  webUrl: string;
  graphUrl: string;
  /** The domain of the noreply addresses in commits. */
  noreplyDomain: string;
  /** The environment variables that contain a token for this host, in order of precedence. */
  tokenVariables: readonly string[];
};

/** `gh` uses the same variables, except that a plain `GITHUB_TOKEN` also works for a server here. */
const CLOUD_TOKENS = ['GITHUB_TOKEN', 'GH_TOKEN'];
const SERVER_TOKENS = ['GITHUB_ENTERPRISE_TOKEN', 'GH_ENTERPRISE_TOKEN', ...CLOUD_TOKENS];

/** All variables that can contain a GitHub token. */
export const GITHUB_TOKEN_VARIABLES: readonly string[] = SERVER_TOKENS;

/**
 * Describes the GitHub at this address. GitHub's cloud has an API host of its own: `api.github.com` and
 * `api.acme.ghe.com`. An Enterprise Server has one host, with REST at `/api/v3` and GraphQL at `/api/graphql`.
 */
export function describeHost(apiUrl: string): GitHubHost {
  const { protocol, host, hostname } = new URL(apiUrl);
  const kind = toKind(hostname);
  const web = kind === 'server' ? host : host.replace(/^api\./, '');
  const name = kind === 'server' ? hostname : web;
  const api = apiUrl.replace(/\/$/, '');
  return {
    kind,
    name,
    webUrl: `${protocol}//${web}`,
    graphUrl: `${kind === 'server' ? api.replace(/\/api\/v3$/, '/api') : api}/graphql`,
    // Replaces an IP address, such as the GitHub twin's, because an email address needs a host name.
    noreplyDomain: `users.noreply.${/^[\d.]+$|^\[/.test(name) ? 'localhost' : name}`,
    tokenVariables: kind === 'server' ? SERVER_TOKENS : CLOUD_TOKENS,
  };
}

/** A host name with an optional port. */
const HOST = /^[a-z\d](?:[a-z\d.-]{0,250}[a-z\d])?(?::\d{1,5})?$/i;

/**
 * Returns the address of the REST API of a GitHub, from the host name that people use; undefined if the text is not a
 * host name.
 */
export function findApiUrl(host: string): string | undefined {
  if (!HOST.test(host)) return undefined;
  const name = host.toLowerCase().replace(/^api\.(?=github\.com$|[^.]+\.ghe\.com$)/, '');
  const isCloud = toKind(`api.${name}`) !== 'server';
  return isCloud ? `https://api.${name}` : `https://${name}/api/v3`;
}

function toKind(hostname: string): GitHubHostKind {
  if (hostname === 'api.github.com') return 'github.com';
  return /^api\.[^.]+\.ghe\.com$/.test(hostname) ? 'data-residency' : 'server';
}

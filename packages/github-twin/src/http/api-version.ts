import { ApiError } from '../basics/api-error.js';
import type { World } from '../world/world.js';
import type { Exchange } from './exchange.js';

type Version = {
  name: string;
  /** The first Enterprise Server with this version; undefined if all of them have it. */
  server?: string;
  /** When GitHub deprecated the version, and when GitHub starts to refuse it. */
  end?: { deprecation: string; sunset: string };
};

/** GitHub's API versions, oldest first. */
const VERSIONS: readonly Version[] = [
  {
    name: '2022-11-28',
    end: { deprecation: 'Tue, 10 Mar 2026 00:00:00 GMT', sunset: 'Fri, 10 Mar 2028 00:00:00 GMT' },
  },
  { name: '2026-03-10', server: '3.21' },
];

const ABOUT =
  '<https://docs.github.com/rest/about-the-rest-api/api-versions>; rel="deprecation"; type="text/html"';

/** Lists the versions that the twin supports at its current time, oldest first. */
export function listVersions({ clock, enterpriseVersion }: World): readonly Version[] {
  return VERSIONS.filter(
    ({ server, end }) =>
      (server === undefined || enterpriseVersion === undefined || isAtLeast(enterpriseVersion, server)) &&
      (end === undefined || clock.now() < Date.parse(end.sunset)),
  );
}

/** Returns the version that the request asks for, by default the oldest one; undefined if it is not supported. */
export function findVersion({ world, request }: Exchange): Version | undefined {
  const asked = request.headers['x-github-api-version'];
  const [oldest] = listVersions(world);
  return asked === undefined ? oldest : listVersions(world).find(({ name }) => name === asked);
}

/** Throws 410 for a retired version, and 400 for a version that this host never had. */
export function refuseVersion(exchange: Exchange): void {
  if (findVersion(exchange) !== undefined) return;
  const asked = String(exchange.request.headers['x-github-api-version']);
  if (VERSIONS.some(({ name, end }) => name === asked && end !== undefined))
    throw new ApiError(410, `The API version ${asked} is no longer supported.`);
  throw new ApiError(400, `${JSON.stringify(asked)} is not a supported API version.`);
}

/** Adds the version's headers to those of a response. The `link` header may also have links to other pages. */
export function withVersion(
  exchange: Exchange,
  headers: Readonly<Record<string, string>>,
): Record<string, string> {
  const { enterpriseVersion } = exchange.world;
  const version = findVersion(exchange);
  const isDeprecated = version !== undefined && version !== listVersions(exchange.world).at(-1);
  return {
    ...headers,
    ...(version && { 'x-github-api-version-selected': version.name }),
    ...(enterpriseVersion && { 'x-github-enterprise-version': `enterprise-server@${enterpriseVersion}` }),
    ...(isDeprecated &&
      version.end && { ...version.end, link: [ABOUT, headers['link']].filter(Boolean).join(', ') }),
  };
}

function isAtLeast(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/** Fields that version 2026-03-10 removed from all objects. */
const REMOVED: readonly string[] = [
  'assignee',
  'has_downloads',
  'merge_commit_sha',
  'use_squash_pr_title_as_default',
];

/** Renders a body in the given version. */
export function renderIn(version: string | undefined, body: unknown): string {
  const isOld = version === undefined || version < '2026-03-10';
  return JSON.stringify(body, (key, value: unknown) => (!isOld && REMOVED.includes(key) ? undefined : value));
}

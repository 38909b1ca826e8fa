import { describeHost } from '@mergexo/core/basics';
import { z } from 'zod';
import type { Ask } from './ask-github.js';
import { type Finding, ok, warning } from './finding.js';

/** The oldest Enterprise Server that GitHub still documents. */
const OLDEST = '3.17';
/** What MergeXO cannot use on older Enterprise Servers. */
const FEATURES: readonly { name: string; since: string }[] = [
  { name: 'the login of a GitHub App by its client id', since: '3.18' },
  { name: 'issue dependencies', since: '3.19' },
];

const Meta = z.object({ installed_version: z.string().regex(/^\d+\.\d+/) });

/** Names the version of an Enterprise Server, and the features that this version lacks. */
export async function inspectServer(ask: Ask, apiUrl: string): Promise<Finding[]> {
  if (describeHost(apiUrl).kind !== 'server') return [];
  const answer = await ask('/meta');
  const meta = Meta.safeParse(answer.kind === 'heard' ? answer.data : undefined);
  if (!meta.success) return [];
  const version = meta.data.installed_version;
  const missing = FEATURES.filter(({ since }) => compareVersions(version, since) < 0);
  const without = missing.map(({ name, since }) => `${name} (from ${since})`).join(' and ');
  const detail = `GitHub Enterprise Server ${version}${without === '' ? '' : `, without ${without}`}`;
  if (compareVersions(version, OLDEST) >= 0) return [ok('server', detail)];
  return [
    warning('server', detail, `Update the server to ${OLDEST} or newer. GitHub no longer supports yours.`),
  ];
}

/** Compares the major and minor versions. */
function compareVersions(one: string, other: string): number {
  const [major = 0, minor = 0] = one.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major - otherMajor || minor - otherMinor;
}

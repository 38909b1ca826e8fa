import { isLoopbackHost } from '@mergexo/core/basics';

export type Remote = {
  url: string;
  protocol: 'https' | 'http' | 'ssh' | 'file';
  /** The origin that may receive the token; undefined if no token is needed. */
  origin: string | undefined;
};

// A small alphabet excludes options, shell syntax, and percent codes that git would decode.
const USER = '[A-Za-z0-9_][A-Za-z0-9_.-]*';
const HOST = '[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?';
const PATH = '[A-Za-z0-9_.~][A-Za-z0-9_.~+/-]*';
const SCP_FORM = new RegExp(`^${USER}@${HOST}:/?${PATH}$`);
const SSH_URL = new RegExp(`^ssh://(?:${USER}@)?(?:${HOST}|\\[[0-9a-fA-F:.]+\\])(?::[0-9]{1,5})?/${PATH}$`);

/** Accepts https, ssh, http on this machine, and local directories. Git's other transports are disabled. */
export function parseRemote(url: string): Remote {
  if (url.startsWith('/')) return { url, protocol: 'file', origin: undefined };
  if (SCP_FORM.test(url) || SSH_URL.test(url)) return { url, protocol: 'ssh', origin: undefined };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) throw new Error('the remote must be an https or ssh URL, or user@host:path');
  if (parsed.username !== '' || parsed.password !== '')
    throw new Error('the remote URL must not contain a user or a password');
  if (parsed.protocol === 'file:') return { url, protocol: 'file', origin: undefined };
  if (parsed.protocol === 'https:') return { url, protocol: 'https', origin: parsed.origin };
  // Plain http is limited to this machine, because anyone on the network could read the token.
  if (parsed.protocol === 'http:' && isLoopbackHost(parsed.hostname))
    return { url, protocol: 'http', origin: parsed.origin };
  throw new Error(`the remote must be an https or ssh URL, not ${parsed.protocol}//${parsed.host}`);
}

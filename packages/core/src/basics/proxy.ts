import { isLoopbackHost } from './is-loopback-host.js';

/** The proxy for requests to GitHub and to git remotes. */
export type ProxySettings = {
  /** Undefined without a proxy. May contain a password. */
  url: string | undefined;
  /** Hosts that are reached directly: the entries of NO_PROXY. */
  direct: readonly string[];
};

export const NO_PROXY: ProxySettings = { url: undefined, direct: [] };

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads the variables that curl and most programs use. Only an HTTP proxy counts, because MergeXO's API client supports
 * no SOCKS.
 */
export function readProxySettings(env: Env): ProxySettings {
  const candidates = [env['https_proxy'], env['HTTPS_PROXY'], env['all_proxy'], env['ALL_PROXY']];
  const url = candidates.flatMap((value) => toProxyUrl(value) ?? [])[0];
  const direct = (env['no_proxy'] || env['NO_PROXY'] || '').toLowerCase().split(/[\s,]+/);
  return { url, direct: direct.filter((entry) => entry !== '') };
}

/** Returns the proxy for a URL; undefined for a direct connection. The API client and git share this rule. */
export function chooseProxy({ url, direct }: ProxySettings, target: string): string | undefined {
  if (url === undefined || !URL.canParse(target)) return undefined;
  const { protocol, hostname, port } = new URL(target);
  // MergeXO uses plain HTTP only on this machine.
  if (protocol !== 'https:' || isLoopbackHost(hostname)) return undefined;
  const isDirect = direct.some((entry) => matches(entry, hostname.toLowerCase(), port || '443'));
  return isDirect ? undefined : url;
}

/** `example.com` also matches its subdomains, as for curl. */
function matches(entry: string, hostname: string, port: string): boolean {
  if (entry === '*') return true;
  const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  const host = name.replace(/^\*?\./, '');
  return (only === undefined || only === port) && (hostname === host || hostname.endsWith(`.${host}`));
}

function toProxyUrl(value: string | undefined): string | undefined {
  if (value === undefined || value === '') return undefined;
  const text = value.includes('://') ? value : `http://${value}`;
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, href } = new URL(text);
  return /^https?:$/.test(protocol) && hostname !== '' ? href : undefined;
}

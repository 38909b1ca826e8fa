import { isIP, isIPv4, isIPv6 } from 'node:net';

/** The host and port that a program asked for. `host` is lower-case; an IPv6 address has no brackets. */
export type Target = { host: string; port: number };

/** A host that a confined program may reach. */
export type HostRule = {
  /** A name, an IP address, or `*.` followed by a domain. */
  host: string;
  ports: readonly number[];
  /** Ports on which the program must use TLS and name this host in its ClientHello. */
  tlsPorts: readonly number[];
  /** Ports for plain requests only. In a tunnel, the program could name another site in the Host header. */
  plainPorts: readonly number[];
  /** True if the operator named this endpoint, which may then be on this machine or in a private network. */
  mayBePrivate: boolean;
};

/** How a program asks for a host: with CONNECT, or with a plain HTTP request that the proxy forwards. */
export type Way = 'tunnel' | 'request';

/** `all` shares the machine's network. With rules, a proxy outside the sandbox connects to the listed hosts only. */
export type Network = 'all' | 'none' | readonly HostRule[];

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
// The last label starts with a letter: resolvers read names such as 0x7f.1 and 127.1 as addresses.
const NAME = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`);
const AUTHORITY = /^(?:\[([0-9a-f:.]{2,45})\]|([^[\]:]{1,255}))(?::([1-9][0-9]{0,4}))?$/;

/** Parses `host:port` strictly: user names, percent signs, other scripts and unusual forms of addresses are invalid. */
export function parseTarget(text: string, defaultPort?: number): Target | undefined {
  const [, v6, plain = '', digits] = AUTHORITY.exec(text.toLowerCase()) ?? [];
  const port = digits === undefined ? defaultPort : Number(digits);
  if (port === undefined || port > 65_535) return undefined;
  if (v6 !== undefined) return isIPv6(v6) ? { host: normaliseIPv6(v6), port } : undefined;
  return isIPv4(plain) || NAME.test(plain) ? { host: plain, port } : undefined;
}

function normaliseIPv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}

const WEB_PORTS = [443, 80];

/** Reads an entry of `allowed_hosts`, such as `example.com`, `*.example.com` or `10.0.0.7:8443`. */
export function readHostRule(entry: string): HostRule {
  const [prefix, rest] = entry.startsWith('*.') ? ['*.', entry.slice(2)] : ['', entry];
  const named = parseTarget(rest);
  const target = named ?? parseTarget(rest, 443);
  if (target === undefined) throw new RangeError(`not a host: ${entry}`);
  const ports = named === undefined ? WEB_PORTS : [named.port];
  return {
    host: `${prefix}${target.host}`,
    ports,
    tlsPorts: ports.filter((port) => port === 443),
    plainPorts: named === undefined ? [80] : [],
    mayBePrivate: named !== undefined && prefix === '',
  };
}

/** Builds the rule for a model's URL from the operator's configuration; undefined if the text is not a web URL. */
export function readUrlRule(text: string): HostRule | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  const isTls = url.protocol === 'https:';
  const target = parseTarget(url.host, isTls ? 443 : 80);
  if (target === undefined) return undefined;
  const ports = [target.port];
  return { host: target.host, ports, tlsPorts: isTls ? ports : [], plainPorts: [], mayBePrivate: true };
}

/** Finds the first rule that allows the target in this way. A plain request never reaches a port that any rule keeps for TLS. */
export function findRule(rules: readonly HostRule[], { host, port }: Target, way: Way): HostRule | undefined {
  const matching = rules.filter((rule) => rule.ports.includes(port) && isMatch(rule.host, host));
  if (way === 'tunnel') return matching.find(({ plainPorts }) => !plainPorts.includes(port));
  return matching.some(({ tlsPorts }) => tlsPorts.includes(port)) ? undefined : matching[0];
}

function isMatch(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.')) return pattern === host;
  return isIP(host) === 0 && host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1;
}

const MAX_SHOWN = 100;

/** Makes a target safe to show: the program that asked for it chose every character. */
export function showTarget(text: string): string {
  const shown = text.slice(0, MAX_SHOWN).replace(/[^\w.:*[\]-]/g, '?');
  return shown === '' ? '?' : shown;
}

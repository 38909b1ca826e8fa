/** True for loopback host names, for which MergeXO allows shorter intervals and requires no password. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return host === '[::1]' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/**
 * True for URLs that point to this machine. Parses the URL to normalize hosts such as `127.1` and `0x7f.1`.
 */
export function isLoopbackUrl(url: string): boolean {
  const parsed = parseUrl(url);
  if (parsed === undefined) return false;
  // The URL parser normalizes hosts only for standard schemes, so the host of a redis: URL is parsed again as http:.
  const normalised = parseUrl(`http://${parsed.host}`);
  return normalised !== undefined && isLoopbackHost(normalised.hostname);
}

/** Parses a URL without `URL.parse`, which Node 20 lacks. */
export function parseUrl(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

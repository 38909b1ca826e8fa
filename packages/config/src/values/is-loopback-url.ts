import { isLoopbackHost } from '@mergexo/core/basics';

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

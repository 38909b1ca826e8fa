/** Is this a host name of the same machine? Shorter intervals and missing passwords are accepted only there. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return host === '[::1]' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** The URL parser normalises odd spellings (`127.1`, `0x7f.1`) first, so that none passes for another host. */
export function isLoopbackUrl(url: string): boolean {
  const parsed = parseUrl(url);
  if (parsed === undefined) return false;
  // Schemes that the URL standard does not know (redis:) keep their host as written; http: normalises it.
  const normalised = parseUrl(`http://${parsed.host}`);
  return normalised !== undefined && isLoopbackHost(normalised.hostname);
}

/** `URL.parse` for Node 20, which has only the throwing constructor. */
export function parseUrl(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

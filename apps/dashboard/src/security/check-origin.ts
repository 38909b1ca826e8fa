type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * True for requests from our own pages. Browsers send the origin with every form, so writes from other sites
 * are rejected, even with a valid token.
 */
export function isOwnOrigin(headers: Headers): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return true;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  // A proxy may change the scheme, so only host and port are compared.
  return new URL(origin).host === host?.toString().toLowerCase();
}

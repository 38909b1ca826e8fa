type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A browser says where a form came from; a write from another site is refused, whatever token it carries. */
export function isOwnOrigin(headers: Headers): boolean {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return false;
  if (origin === undefined) return true;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  // Behind a proxy the scheme may be another one than ours, so the name and port decide.
  return new URL(origin).host === host?.toString().toLowerCase();
}

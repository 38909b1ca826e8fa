import { z } from 'zod';

const Word = z.string().regex(/^[^<>\p{Cc}]{1,200}$/u);

/** Who made our commits, as git and GitHub show it. */
export const CommitAuthor = z.strictObject({ name: Word, email: Word });
export type CommitAuthor = z.infer<typeof CommitAuthor>;

export type Poster = { id: number; login: string };

/**
 * The login that posts for us, with the address that GitHub gives to that account alone. An address made of the login
 * without its id can belong to somebody else, and GitHub would credit that person. Undefined while GitHub has not said
 * who posts, unless both are configured.
 */
export function buildCommitAuthor(
  poster: Poster | undefined,
  apiUrl: string,
  { commitName, commitEmail }: { commitName?: string | undefined; commitEmail?: string | undefined } = {},
): CommitAuthor | undefined {
  const name = commitName ?? poster?.login;
  const email = commitEmail ?? (poster && `${poster.id}+${poster.login}@${findNoreplyHost(apiUrl)}`);
  return name === undefined || email === undefined ? undefined : { name, email };
}

/** `https://api.github.com` and `https://api.acme.ghe.com` have a host of their own, `https://host/api/v3` has not. */
function findNoreplyHost(apiUrl: string): string {
  const host = new URL(apiUrl).hostname.replace(/^api\./, '');
  // The twin: an address cannot name a port or an IPv6 host.
  return `users.noreply.${/^[\d.]+$|^\[/.test(host) ? 'localhost' : host}`;
}

import { z } from 'zod';
import { describeHost } from '../basics/github-host.js';

const Word = z.string().regex(/^[^<>\p{Cc}]{1,200}$/u);

/** Author and committer of MergeXO's commits. */
export const CommitAuthor = z.strictObject({ name: Word, email: Word });
export type CommitAuthor = z.infer<typeof CommitAuthor>;

export type Poster = { id: number; login: string };

/**
 * Builds the author from the configured name and email. Defaults to the login that posts for MergeXO and its
 * noreply address. A noreply address without the account id can belong to somebody else, whom GitHub would
 * credit. Undefined if a part is not configured and GitHub has not reported the login yet.
 */
export function buildCommitAuthor(
  poster: Poster | undefined,
  apiUrl: string,
  { commitName, commitEmail }: { commitName?: string | undefined; commitEmail?: string | undefined } = {},
): CommitAuthor | undefined {
  const name = commitName ?? poster?.login;
  const email =
    commitEmail ?? (poster && `${poster.id}+${poster.login}@${describeHost(apiUrl).noreplyDomain}`);
  return name === undefined || email === undefined ? undefined : { name, email };
}

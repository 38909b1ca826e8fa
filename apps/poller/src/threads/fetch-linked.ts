import type { Log } from '@mergexo/core/basics';
import { listMentions } from '@mergexo/core/feedback';
import { findDistrust } from '@mergexo/core/runs';
import { type LinkedThread, type Links, toRole } from '@mergexo/core/turns';
import type { GitHub, Issue } from '@mergexo/github';
import { skipUnreadable } from '../attempt.js';
import type { Repo } from '../tools.js';

const MAX_LINKED = 5;
/** Maximum number of further mentions to store. The prompt names fewer, and counts the others. */
const MAX_UNREAD = 1_000;
/** Linked issues change rarely, and an old text is good enough as background. */
const MAX_AGE_MS = 10 * 60_000;

type Tools = { github: Pick<GitHub, 'refreshIssue'>; log: Log };

/**
 * Fetches the issues and pull requests that the texts mention, one level deep. Omits those by people whose text the
 * agent may not read. Sends no request if nothing is mentioned.
 */
export async function fetchLinked(
  { github, log }: Tools,
  repo: Repo,
  { texts, except }: { texts: readonly string[]; except: readonly number[] },
): Promise<Links> {
  const { fullName, allowedUsers } = repo.config;
  const numbers = listMentions(texts, fullName).filter((number) => !except.includes(number));
  const message = 'could not read an issue that a comment mentions; the agent works without it';
  const found = await Promise.all(
    numbers
      .slice(0, MAX_LINKED)
      .map((number) =>
        skipUnreadable(log, { message, issue_number: number }, () =>
          github.refreshIssue(fullName, number, MAX_AGE_MS),
        ),
      ),
  );
  const linked = found
    .filter((issue) => issue !== undefined)
    .filter(({ author }) => findDistrust(author, allowedUsers) === undefined)
    .map(toLinked);
  return { linked, unreadLinks: numbers.slice(MAX_LINKED, MAX_LINKED + MAX_UNREAD) };
}

function toLinked({ mergedAt, open, author, association, ...issue }: Issue): LinkedThread {
  const { number, isPullRequest, title, body, url, createdAt } = issue;
  const status = mergedAt !== null ? 'merged' : open ? 'open' : 'closed';
  const origin = { author: author.login, ...toRole(association), createdAt };
  return { number, isPullRequest, status, title, body, url, ...origin };
}

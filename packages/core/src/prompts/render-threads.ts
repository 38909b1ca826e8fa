import type { ReviewState } from '../feedback/remark.js';
import type { LinkedThread, StartContext } from '../turns/start/start-context.js';
import { oneLine } from './fence.js';
import { type Part, quote, quotePost } from './part.js';

/** Renders the comments on the issue, oldest first. */
export function renderIssueComments(comments: StartContext['comments']): Part[] {
  return comments.map((comment) =>
    quote('history', `COMMENT ${comment.id} ON THE ISSUE ${renderAuthor(comment)}`, comment.body),
  );
}

/** Renders the issues and pull requests that the other texts mention, and the numbers of those that were not read. */
export function renderLinks({ linked, unreadLinks }: Links): Part[] {
  const threads = linked.map((thread) => {
    const what = thread.isPullRequest ? 'PULL REQUEST' : 'ISSUE';
    const name = `LINKED ${what} #${thread.number} (${thread.status}) ${renderAuthor(thread)}`;
    return { ...quotePost('history', name, thread), max: MAX_LINKED };
  });
  if (unreadLinks.length === 0) return threads;
  const named = unreadLinks.slice(0, MAX_UNREAD).map((number) => `#${number}`);
  const left = unreadLinks.length - named.length;
  const names = [...named, ...(left > 0 ? [`${left} more`] : [])].join(', ');
  return [
    ...threads,
    `The posts also mention these issues and pull requests, which MergeXO did not read: ${names}.`,
  ];
}

const MAX_LINKED = 4_000;
const MAX_UNREAD = 20;

type Links = { linked: readonly LinkedThread[]; unreadLinks: readonly number[] };

type Author = { author: string; role?: string | undefined; createdAt?: string | undefined };

/** Renders the author with the role in the repository, and the time. */
export function renderAuthor({ author, role, createdAt }: Author): string {
  const about = role === undefined ? author : `${author} (${role.toLowerCase()})`;
  return createdAt === undefined ? `BY ${about}` : `BY ${about} ON ${oneLine(createdAt)}`;
}

type Place = { path: string; startLine?: number | null; line: number | null };

export function renderPlace({ path, startLine = null, line }: Place): string {
  if (line === null) return path;
  return startLine === null ? `${path}:${line}` : `${path}:${startLine}-${line}`;
}

/** Renders the verdict of a review. A review that only comments has none. */
export function renderVerdict(state: ReviewState | null): string[] {
  return state === null || state === 'commented' ? [] : [`(${state.replaceAll('_', ' ')})`];
}

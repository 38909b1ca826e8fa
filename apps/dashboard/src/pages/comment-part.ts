import type { IssueComment } from '../facts/issue/describe-comment.js';
import { type Html, html, toWebUrl } from '../html.js';
import { type Look, renderAvatar, renderTag, renderTime, toExcerpt } from './parts.js';

const VERBS: Readonly<Record<IssueComment['kind'], string>> = {
  issue: 'commented on',
  review: 'commented on a line of',
  review_summary: 'reviewed',
  ci: 'reported a failed check on',
};

/** Renders a comment with its status. The text is truncated; the arrow links to GitHub. */
export function renderComment(comment: IssueComment): Html {
  const { thread, kind, author, saidAt, url, body, status, place, commentId } = comment;
  const link = toWebUrl(url);
  return html`<li id="comment-${commentId}">${renderAvatar(author)}<div class="said"><p><b><bdi>${author}</bdi></b> <span class="quiet">${VERBS[kind]} #${thread}${place !== null && html`, <code><bdi>${place}</bdi></code>`} · ${renderTime(saidAt)}</span>${link !== undefined && html`<a class="out" href="${link}" title="on GitHub" aria-label="The comment on GitHub">↗</a>`} ${renderTag(lookOf(status), status)}</p>
<p class="text"><bdi>${toExcerpt(body)}</bdi></p></div></li>`;
}

function lookOf(status: string): Look {
  if (status === 'answered') return 'good';
  return status === 'pending' || status.startsWith('in progress') ? 'calm' : 'quiet';
}

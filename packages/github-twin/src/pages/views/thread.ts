import { findPull } from '../../domain/issues.js';
import type { ReviewComment } from '../../store/rows.js';
import { renderHunkEnd } from '../parts/diff.js';
import {
  renderAvatar,
  renderForm,
  renderLogin,
  renderReactions,
  renderText,
  renderTextBox,
  renderTime,
  userOf,
} from '../parts/elements.js';
import { type Html, html } from '../parts/html.js';
import { issuePath, may, type RepoPageContext } from '../parts/page-context.js';
import type { Thread } from './conversation.js';

/** The page that displays the thread. The thread's forms return to this page. */
export type ThreadPage = 'conversation' | 'files';

/** Renders a thread: the commented line, the comments, and a reply box. */
export function renderThread(context: RepoPageContext, thread: Thread, page: ThreadPage): Html {
  const { root, comments, line } = thread;
  const resolved = root.resolvedById !== null;
  const { place } = root;
  const badges = html`${line === null && html` <span class="badge warn">Outdated</span>`}${resolved && html` <span class="badge done">Resolved</span>`}`;
  const head = html`<span class="path"><bdi>${place.path}</bdi></span> <span class="muted">line ${line ?? place.line}</span>${badges}`;
  const body = html`${page === 'conversation' && renderHunkEnd(place.diffHunk)}
<div class="said">${comments.map((comment) => renderThreadComment(context, comment))}</div>
${resolved && html`<p class="muted resolved-by">${renderLogin(userOf(context.world, root.resolvedById))} marked this conversation as resolved.</p>`}
${renderReply(context, thread, page)}`;
  const id = `thread-${root.id}`;
  return resolved
    ? html`<details class="thread resolved" id="${id}"><summary>${head}</summary>${body}</details>`
    : html`<div class="thread" id="${id}"><div class="thread-head">${head}</div>${body}</div>`;
}

function renderThreadComment(context: RepoPageContext, comment: ReviewComment): Html {
  const user = userOf(context.world, comment.userId);
  const pending = context.world.store.reviews.get(comment.reviewId)?.state === 'PENDING';
  return html`<article class="thread-comment" id="discussion_r${comment.id}"><p class="by">${renderAvatar(user)} ${renderLogin(user)} <a class="when" href="#discussion_r${comment.id}">${renderTime(comment.createdAt)}</a>${pending && html`<span class="badge warn">Pending</span>`}</p>
${renderText(context, comment.body)}${renderReactions(context.world, { subject: 'reviewComment', subjectId: comment.id })}</article>`;
}

function renderReply(context: RepoPageContext, { root, comments }: Thread, from: ThreadPage): Html {
  const { repo, visitor } = context;
  if (!may(context, 'read')) return html``;
  const issue = findPull(context, root.number);
  const action = issuePath(repo, issue);
  // If the first comment was deleted, any reply identifies the thread.
  const comment = root.deleted ? (comments[0]?.id ?? root.id) : root.id;
  const box = renderTextBox({ id: `reply-${root.id}`, label: 'Reply', placeholder: 'Reply…', rows: 2 });
  const reply = renderForm(`${action}/reply`, html`${box}<button>Reply</button>`, { comment, from });
  if (!may(context, 'write') && issue.userId !== visitor?.id) return html`<div class="reply">${reply}</div>`;
  const [word, resolved] = root.resolvedById === null ? ['Resolve', 'yes'] : ['Unresolve', 'no'];
  const button = html`<button class="quiet">${word} conversation</button>`;
  return html`<div class="reply">${reply}${renderForm(`${action}/resolve`, button, { comment: root.id, resolved, from })}</div>`;
}

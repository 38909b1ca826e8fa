import { hasPermission } from '../../domain/permissions.js';
import type { ReviewComment } from '../../store/review-rows.js';
import type { PullIssue } from '../../store/rows.js';
import { renderHunkEnd } from '../parts/diff.js';
import {
  issuePath,
  renderAvatar,
  renderForm,
  renderLogin,
  renderText,
  renderTextBox,
  renderTime,
  userOf,
} from '../parts/elements.js';
import { type Html, html } from '../parts/html.js';
import { may, type RepoPageContext } from '../visit/page-context.js';
import type { Thread } from './conversation.js';

export type ThreadOptions = {
  /** The lines that it is about; not where the diff itself is around it. */
  showLines: boolean;
  /** Which page the forms come back to. */
  from: 'conversation' | 'files';
};

/** A conversation about a line: what it is about, who said what, and a box for what comes next. */
export function renderThread(
  context: RepoPageContext,
  issue: PullIssue,
  thread: Thread,
  options: ThreadOptions,
): Html {
  const { root, comments, line } = thread;
  const resolved = root.resolvedById !== null;
  const { place } = root;
  const badges = html`${line === null && html` <span class="badge warn">Outdated</span>`}${resolved && html` <span class="badge done">Resolved</span>`}`;
  const head = html`<span class="path"><bdi>${place.path}</bdi></span> <span class="muted">line ${line ?? place.line}</span>${badges}`;
  const body = html`${options.showLines && renderHunkEnd(place.diffHunk)}
<div class="said">${comments.map((comment) => renderThreadComment(context, comment))}</div>
${resolved && html`<p class="muted resolved-by">${renderLogin(userOf(context.world, root.resolvedById))} marked this conversation as resolved.</p>`}
${renderReply(context, issue, thread, options)}`;
  const id = `thread-${root.id}`;
  return resolved
    ? html`<details class="thread resolved" id="${id}"><summary>${head}</summary>${body}</details>`
    : html`<div class="thread" id="${id}"><div class="thread-head">${head}</div>${body}</div>`;
}

function renderThreadComment(context: RepoPageContext, comment: ReviewComment): Html {
  const user = userOf(context.world, comment.userId);
  const pending = context.world.store.reviews.get(comment.reviewId)?.state === 'PENDING';
  return html`<article class="thread-comment" id="discussion_r${comment.id}"><p class="by">${renderAvatar(user)} ${renderLogin(user)} <a class="when" href="#discussion_r${comment.id}">${renderTime(comment.createdAt)}</a>${pending && html`<span class="badge warn">Pending</span>`}</p>
${renderText(context, comment.body)}</article>`;
}

function renderReply(
  context: RepoPageContext,
  issue: PullIssue,
  { root, comments }: Thread,
  { from }: ThreadOptions,
): Html {
  if (!may(context, 'read')) return html``;
  const action = issuePath(context.repo, issue);
  // Where the first comment is gone, any other stands for the thread.
  const target = root.deleted ? (comments[0]?.id ?? root.id) : root.id;
  const id = `reply-${root.id}`;
  const reply = renderForm(
    context,
    { action: `${action}/reply`, fields: { comment: target, from } },
    html`${renderTextBox({ id, label: 'Reply', placeholder: 'Reply…', rows: 2 })}<button>Reply</button>`,
  );
  return html`<div class="reply">${reply}${mayResolve(context, issue) && renderResolve(context, action, root, from)}</div>`;
}

function mayResolve(context: RepoPageContext, issue: PullIssue): boolean {
  const { user } = context.visitor;
  return !!user && (hasPermission(context.repo, user, 'write') || issue.userId === user.id);
}

function renderResolve(context: RepoPageContext, action: string, root: ReviewComment, from: string): Html {
  const resolved = root.resolvedById !== null;
  return renderForm(
    context,
    { action: `${action}/resolve`, fields: { comment: root.id, resolved: resolved ? 'no' : 'yes', from } },
    html`<button class="quiet">${resolved ? 'Unresolve' : 'Resolve'} conversation</button>`,
  );
}

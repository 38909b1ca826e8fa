import { inThread } from '../../domain/issues.js';
import { findByEmail } from '../../domain/users.js';
import type { CommitInfo } from '../../git/commits.js';
import type { PullIssue, Review, User } from '../../store/rows.js';
import { plural, renderAvatar, renderLogin, renderText, renderTime, userOf } from '../parts/elements.js';
import { type Html, html, type Part } from '../parts/html.js';
import type { Page } from '../parts/layout.js';
import { issuePath, type RepoPageContext } from '../parts/page-context.js';
import { type Item, listPullItems, listReviews, type ReviewItem } from './conversation.js';
import {
  renderCommentBox,
  renderDescription,
  renderEnd,
  renderHead,
  renderIssueComment,
  renderLabelsBox,
} from './issue-page.js';
import { renderMergeBox } from './merge-box.js';
import { renderThread } from './thread.js';

export type PullTab = 'conversation' | 'files';

export async function renderConversation(context: RepoPageContext, issue: PullIssue): Promise<Page> {
  const items = await listPullItems(context, issue);
  const content = html`<div class="columns"><div class="conversation"><div class="timeline" id="timeline" data-live="list">${renderDescription(context, issue)}${items.map((item) => renderItem(context, item))}${renderEnd(context, issue)}</div>
${await renderMergeBox(context, issue)}
${renderCommentBox(context, issue)}</div>
<aside class="sidebar" aria-label="About this pull request">${renderReviewers(context, issue)}${renderLabelsBox(context, issue)}</aside></div>`;
  return renderPullPage(context, issue, { tab: 'conversation', content });
}

/** Renders the header and the tabs that all pages of a pull request share. */
export async function renderPullPage(
  context: RepoPageContext,
  issue: PullIssue,
  { tab, content }: { tab: PullTab; content: Part },
): Promise<Page> {
  const { world, repo } = context;
  const { pull } = issue;
  const compared = await world.gitRepo(repo).compare(pull.baseSha, pull.headSha);
  const commits = compared?.aheadBy ?? 0;
  const files = compared?.files ?? [];
  const from = html`into <code class="branch"><bdi>${pull.baseRef}</bdi></code> from <code class="branch"><bdi>${pull.headRef}</bdi></code>`;
  const text = pull.mergedAt
    ? html`${renderLogin(userOf(world, pull.mergedById))} merged ${plural(commits, 'commit')} ${from}`
    : html`${renderLogin(userOf(world, issue.userId))} wants to merge ${plural(commits, 'commit')} ${from}`;
  const path = issuePath(repo, issue);
  const talk = world.store.comments.filter(inThread(issue));
  const tabs: { name: PullTab; text: string; below: string; count: number }[] = [
    { name: 'conversation', text: 'Conversation', below: '', count: talk.length },
    { name: 'files', text: 'Files changed', below: '/files', count: files.length },
  ];
  const links = tabs.map(
    ({ name, text, below, count }) =>
      html`<a href="${path}${below}"${tab === name && html` aria-current="page"`}>${text} <span class="count">${count}</span></a>`,
  );
  const sum = (count: 'additions' | 'deletions') => files.reduce((total, file) => total + file[count], 0);
  const body = html`${renderHead(issue, text)}
<nav class="tabs" id="pull-tabs" data-live="block" aria-label="Pull request">${links}
<span class="stat"><span class="plus">+${sum('additions')}</span> <span class="minus">−${sum('deletions')}</span></span></nav>
${content}`;
  return {
    title: `${issue.title} · Pull request #${issue.number} · ${repo.owner}/${repo.name}`,
    body,
    repo,
    tab: 'pulls',
  };
}

function renderItem(context: RepoPageContext, item: Item): Html {
  if (item.kind === 'comment') return renderIssueComment(context, item.comment);
  if (item.kind === 'commit')
    return html`<div class="item event commits" id="commit-${item.commit.sha}">${renderCommit(context, item.commit)}</div>`;
  return renderReview(context, item);
}

function renderCommit({ world }: RepoPageContext, { sha, message, author }: CommitInfo): Html {
  const title = message.split('\n', 1)[0] ?? '';
  return html`<p class="commit">${renderAvatar(findByEmail(world, author.email))} <bdi>${title}</bdi> <code class="sha">${sha.slice(0, 7)}</code></p>`;
}

const VERDICTS: Record<Review['state'], string> = {
  APPROVED: 'approved these changes',
  CHANGES_REQUESTED: 'requested changes',
  COMMENTED: 'reviewed',
  DISMISSED: 'reviewed (dismissed)',
  PENDING: 'started a review: only you can see it until you submit it',
};

function renderReview(context: RepoPageContext, { review, threads }: ReviewItem): Html {
  const user = userOf(context.world, review.userId);
  const text =
    review.body.trim() !== '' &&
    html`<div class="bubble"><p class="by">${renderLogin(user)} left a comment</p>${renderText(context, review.body)}</div>`;
  const shown = threads.map((thread) => renderThread(context, thread, 'conversation'));
  const id = `pullrequestreview-${review.id}`;
  const when =
    review.submittedAt !== null && html`<a class="when" href="#${id}">${renderTime(review.submittedAt)}</a>`;
  return html`<article class="item review ${review.state.toLowerCase()}" id="${id}">${renderAvatar(user, 'large')}<div class="review-body"><p class="verdict"><span class="mark" aria-hidden="true"></span>${renderLogin(user)} ${VERDICTS[review.state]} ${when}</p>
${text}${shown}</div></article>`;
}

const MARKS: Partial<Record<Review['state'], string>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'requested changes',
  COMMENTED: 'commented',
};

function renderReviewers(context: RepoPageContext, issue: PullIssue): Html {
  const { world } = context;
  const latest = new Map<number, string>();
  for (const { userId, state } of listReviews(context, issue)) {
    const text = MARKS[state];
    const settled = userId !== null && latest.has(userId) && state === 'COMMENTED';
    if (userId !== null && userId !== issue.userId && text && !settled) latest.set(userId, text);
  }
  for (const id of issue.pull.reviewerIds) latest.set(id, 'awaiting review');
  const row = (user: User | undefined, text: string) =>
    html`<li>${renderAvatar(user)} ${renderLogin(user)} <span class="muted">${text}</span></li>`;
  const rows = [...latest].map(([id, text]) => row(userOf(world, id), text));
  return html`<section id="reviewers" data-live="block"><h2>Reviewers</h2>${rows.length > 0 ? html`<ul class="plain">${rows}</ul>` : html`<p class="muted">No reviews</p>`}</section>`;
}

import type { Comment, Issue, Reactable } from '../../store/rows.js';
import {
  labelsOf,
  renderAvatar,
  renderForm,
  renderLabel,
  renderLogin,
  renderReactions,
  renderText,
  renderTextBox,
  renderTime,
  stateOf,
  userOf,
} from '../parts/elements.js';
import { type Html, html, type Part } from '../parts/html.js';
import type { Page } from '../parts/layout.js';
import { issuePath, may, type RepoPageContext } from '../parts/page-context.js';
import { listComments } from './conversation.js';

export function renderIssuePage(context: RepoPageContext, issue: Issue): Page {
  const { repo, world } = context;
  const by = html`${renderLogin(userOf(world, issue.userId))} opened this issue ${renderTime(issue.createdAt)}`;
  const comments = listComments(context, issue).map((item) =>
    item.kind === 'comment' ? renderIssueComment(context, item.comment) : null,
  );
  const body = html`${renderHead(issue, by)}
<div class="columns"><div class="conversation"><div class="timeline" id="timeline" data-live="list">${renderDescription(context, issue)}${comments}${renderEnd(context, issue)}</div>
${renderCommentBox(context, issue)}</div>
<aside class="sidebar" aria-label="About this issue">${renderLabelsBox(context, issue)}</aside></div>`;
  return {
    title: `${issue.title} · Issue #${issue.number} · ${repo.owner}/${repo.name}`,
    body,
    repo,
    tab: 'issues',
  };
}

export function renderHead(issue: Issue, text: Part): Html {
  const state = stateOf(issue);
  return html`<div class="issue-head" id="issue-head" data-live="block"><h1><bdi>${issue.title}</bdi> <span class="number">#${issue.number}</span></h1>
<p><span class="state ${state.kind}">${state.text}</span> <span class="muted">${text}</span></p></div>`;
}

export function renderDescription(context: RepoPageContext, issue: Issue): Html {
  const { userId, body, createdAt, id } = issue;
  const about = { subject: 'issue', subjectId: id } as const;
  return renderComment(context, { userId, body, createdAt, updatedAt: createdAt, id: `issue-${id}`, about });
}

export function renderIssueComment(context: RepoPageContext, comment: Comment): Html {
  const about = { subject: 'comment', subjectId: comment.id } as const;
  return renderComment(context, { ...comment, id: `issuecomment-${comment.id}`, about });
}

type ShownComment = {
  id: string;
  userId: number | null;
  body: string | null;
  createdAt: string;
  updatedAt: string;
  about: Reactable;
};

function renderComment(context: RepoPageContext, comment: ShownComment): Html {
  const user = userOf(context.world, comment.userId);
  const edited = comment.updatedAt !== comment.createdAt && html` <span class="muted">· edited</span>`;
  return html`<article class="item comment" id="${comment.id}">${renderAvatar(user, 'large')}<div class="bubble"><p class="by">${renderLogin(user)} commented <a class="when" href="#${comment.id}">${renderTime(comment.createdAt)}</a>${edited}</p>
${renderText(context, comment.body)}${renderReactions(context.world, comment.about)}</div></article>`;
}

/** Renders who closed or merged the issue or pull request. */
export function renderEnd({ world }: RepoPageContext, issue: Issue): Html {
  const { pull, closedAt } = issue;
  if (issue.state === 'open' || !closedAt) return html``;
  const by = renderLogin(userOf(world, pull?.mergedAt ? pull.mergedById : issue.closedById));
  const ending = pull?.mergedAt
    ? html`merged commit <code>${(pull.mergeCommitSha ?? '').slice(0, 7)}</code> into <code>${pull.baseRef}</code>`
    : html`closed this${issue.stateReason === 'completed' && html` as completed`}${issue.stateReason === 'not_planned' && html` as not planned`}`;
  return html`<p class="item event" id="the-end"><span class="dot ${stateOf(issue).kind}" aria-hidden="true"></span> ${by} ${ending} ${renderTime(closedAt)}</p>`;
}

export function renderCommentBox(context: RepoPageContext, issue: Issue): Html {
  if (!context.visitor)
    return html`<p class="box blank">Choose a user at the top of the page to join the conversation.</p>`;
  if (!may(context, 'read')) return html`<p class="box blank">This repository is read-only.</p>`;
  const box = renderForm(
    `${issuePath(context.repo, issue)}/comment`,
    html`<h2>Add a comment</h2>${renderTextBox({ id: 'comment-body', label: 'Comment', placeholder: 'Add your comment here…', rows: 5 })}
<p class="actions"><span class="muted">Markdown is supported</span><span id="state-button" data-live="block">${renderStateButton(context, issue)}</span><button class="primary" name="do" value="comment">Comment</button></p>`,
  );
  return html`<section class="item" aria-label="Add a comment">${renderAvatar(context.visitor, 'large')}<div class="bubble box-form">${box}</div></section>`;
}

function renderStateButton(context: RepoPageContext, issue: Issue): Html | null {
  const own = issue.userId === context.visitor?.id;
  if (issue.pull?.mergedAt || (!own && !may(context, 'triage'))) return null;
  const noun = issue.pull ? 'pull request' : 'issue';
  return issue.state === 'open'
    ? html`<button name="do" value="close">Close ${noun}</button>`
    : html`<button name="do" value="reopen">Reopen ${noun}</button>`;
}

export function renderLabelsBox(context: RepoPageContext, issue: Issue): Html {
  const { world, repo } = context;
  const action = issuePath(repo, issue);
  const worn = labelsOf(world, issue);
  const triage = may(context, 'triage');
  const remove = (name: string) =>
    renderForm(
      `${action}/unlabel`,
      html`<button class="bare" aria-label="Remove the label ${name}" title="Remove">×</button>`,
      { label: name },
    );
  const shown = worn.map((label) => renderLabel(label, triage ? remove(label.name) : undefined));
  const rest = world.store.labels.filter((row) => row.repoId === repo.id && !issue.labelIds.includes(row.id));
  const add =
    triage &&
    rest.length > 0 &&
    renderForm(
      `${action}/label`,
      html`<label class="hidden" for="add-label">Label to add</label><select id="add-label" name="label">${rest.map(({ name }) => html`<option value="${name}">${name}</option>`)}</select><button>Add</button>`,
    );
  return html`<section id="labels" data-live="block"><h2>Labels</h2><div class="labels">${shown.length > 0 ? shown : html`<span class="muted">None yet</span>`}</div>${add}</section>`;
}

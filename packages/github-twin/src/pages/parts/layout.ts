import { listIssues } from '../../domain/issues.js';
import type { Repo } from '../../store/rows.js';
import { renderAvatar, renderForm } from './elements.js';
import { type Html, html, type Part } from './html.js';
import { listPeople, type PageContext, type RepoPageContext, repoPath } from './page-context.js';

export type Page = { status?: number; title: string; body: Html; repo?: Repo; tab?: 'issues' | 'pulls' };

export function renderPage(context: PageContext, page: Page): string {
  const { repo } = page;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title}</title>
<link rel="icon" href="/_pages/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/_pages/pages.css">
<link rel="stylesheet" href="/_pages/labels.css">
<script type="module" src="/_pages/pages.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<a class="brand" href="/">GitHub <span>stand-in</span></a>
${repo && html`<nav class="crumbs" aria-label="Repository"><a href="${repoPath(repo)}"><bdi>${repo.owner}</bdi> / <strong><bdi>${repo.name}</bdi></strong></a></nav>`}
${renderPicker(context)}
</header>
${repo && renderRepoTabs({ ...context, repo }, page.tab)}
<main id="main">${page.body}</main>
<footer>A local stand-in for GitHub. Nothing here leaves this machine.</footer>
<p id="news" class="hidden" role="status"></p>
</body>
</html>
`.markup;
}

/** Renders the list of people to act as. No password is needed, because local visitors are trusted. */
function renderPicker(context: PageContext): Html {
  const user = context.visitor;
  const back = context.query.size > 0 ? `${context.path}?${context.query}` : context.path;
  const people = listPeople(context.world).map(
    (person) =>
      html`<button name="user" value="${person.id}"${person.id === user?.id && html` aria-pressed="true"`}>${renderAvatar(person)} <bdi>${person.login}</bdi>${person.id === user?.id && html` <span aria-hidden="true">✓</span>`}</button>`,
  );
  const summary = user
    ? html`${renderAvatar(user)} <span class="acting">acting as</span> <bdi>${user.login}</bdi>`
    : html`Choose who you are`;
  return html`<details class="picker${user ? '' : ' urgent'}" id="picker"><summary>${summary}</summary>
${renderForm('/_pages/visitor', html`<p>Take part as</p>${people}`, { back })}</details>`;
}

function renderRepoTabs(context: RepoPageContext, tab: Page['tab']): Html {
  const { repo } = context;
  const open = listIssues(context).filter((issue) => issue.state === 'open');
  const pulls = open.filter((issue) => issue.pull).length;
  const link = (name: 'issues' | 'pulls', text: string, count: number) =>
    html`<a href="${repoPath(repo)}/${name}"${tab === name && html` aria-current="page"`}>${text} <span class="count">${count}</span></a>`;
  return html`<nav class="tabs repo-tabs" id="repo-tabs" data-live="block" aria-label="${repo.name}">
${link('issues', 'Issues', open.length - pulls)}${link('pulls', 'Pull requests', pulls)}
${repo.private && html`<span class="badge">Private</span>`}${repo.archived && html`<span class="badge">Archived</span>`}</nav>`;
}

export function renderProblem(title: string, text: Part, more?: Part): Html {
  return html`<section class="problem"><h1>${title}</h1><p>${text}</p>${more}</section>`;
}

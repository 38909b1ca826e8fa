import { inThread, listIssues } from '../../domain/issues.js';
import { hasPermission } from '../../domain/permissions.js';
import type { Issue } from '../../store/rows.js';
import {
  labelsOf,
  plural,
  renderForm,
  renderLabel,
  renderLogin,
  renderTextBox,
  renderTime,
  stateOf,
  userOf,
} from '../parts/elements.js';
import { type Html, html } from '../parts/html.js';
import type { Page } from '../parts/layout.js';
import { issuePath, may, type PageContext, type RepoPageContext, repoPath } from '../parts/page-context.js';

export function renderRepos(context: PageContext): Page {
  const { world, visitor } = context;
  const repos = world.store.repos.filter((repo) => !visitor || hasPermission(repo, visitor, 'read'));
  const rows = repos.map((repo) => {
    const open = listIssues({ world, repo }).filter((issue) => issue.state === 'open');
    const pulls = open.filter((issue) => issue.pull).length;
    return html`<li><h2><a href="${repoPath(repo)}/issues"><bdi>${repo.owner}</bdi> / <bdi>${repo.name}</bdi></a> <span class="badge">${repo.private ? 'Private' : 'Public'}</span></h2>
${repo.description && html`<p dir="auto">${repo.description}</p>`}
<p class="muted"><a href="${repoPath(repo)}/issues">${plural(open.length - pulls, 'open issue')}</a> · <a href="${repoPath(repo)}/pulls">${plural(pulls, 'open pull request')}</a></p></li>`;
  });
  const body = html`<h1>Repositories</h1>
${rows.length > 0 ? html`<ul class="box rows" id="repos">${rows}</ul>` : html`<p class="box blank">You cannot see any repository.</p>`}`;
  return { title: 'Repositories', body };
}

export function renderList(context: RepoPageContext, tab: 'issues' | 'pulls'): Page {
  const { repo, query } = context;
  const shown = query.get('state') === 'closed' ? 'closed' : 'open';
  const all = listIssues(context).filter((issue) => (issue.pull !== null) === (tab === 'pulls'));
  const rows = all.filter((issue) => issue.state === shown).sort((a, b) => b.number - a.number);
  const count = (state: string) => all.filter((issue) => issue.state === state).length;
  const filter = (state: 'open' | 'closed', label: string) =>
    html`<a href="${repoPath(repo)}/${tab}?state=${state}"${state === shown && html` aria-current="true"`}>${count(state)} ${label}</a>`;
  const noun = tab === 'issues' ? 'issues' : 'pull requests';
  const body = html`<div class="list-head"><h1>${tab === 'issues' ? 'Issues' : 'Pull requests'}</h1>
${tab === 'issues' && may(context, 'read') && html`<a class="button primary" href="${repoPath(repo)}/issues/new">New issue</a>`}</div>
<div class="box" id="list" data-live="block"><div class="box-head">${filter('open', 'Open')}${filter('closed', 'Closed')}</div>
${rows.length > 0 ? html`<ul class="rows">${rows.map((issue) => renderRow(context, issue))}</ul>` : html`<p class="blank">There are no ${shown} ${noun}.</p>`}</div>`;
  return { title: `${noun} · ${repo.owner}/${repo.name}`, body, repo, tab };
}

function renderRow(context: RepoPageContext, issue: Issue): Html {
  const { world, repo } = context;
  const state = stateOf(issue);
  const comments = world.store.comments.filter(inThread(issue)).length;
  const commentCount =
    comments > 0 && html`<span class="muted comments">${plural(comments, 'comment')}</span>`;
  return html`<li class="row"><span class="dot ${state.kind}" role="img" aria-label="${state.text}"></span>
<div><a class="row-title" href="${issuePath(repo, issue)}"><bdi>${issue.title}</bdi></a> ${labelsOf(world, issue).map((label) => html`${renderLabel(label)} `)}
<p class="muted">#${issue.number} opened ${renderTime(issue.createdAt)} by ${renderLogin(userOf(world, issue.userId))}</p></div>${commentCount}</li>`;
}

export function renderNewIssue(context: RepoPageContext): Page {
  const { repo, world } = context;
  const labels = world.store.labels.filter((row) => row.repoId === repo.id);
  const boxes = labels.map(
    (label) =>
      html`<label class="choice"><input type="checkbox" name="label" value="${label.name}"> ${renderLabel(label)}</label>`,
  );
  const form = renderForm(
    `${repoPath(repo)}/issues`,
    html`<label for="title">Title</label><input id="title" name="title" required maxlength="256" dir="auto">
${renderTextBox({ id: 'description', label: 'Description', placeholder: 'Type your description here…', rows: 10, visible: true })}
${may(context, 'triage') && boxes.length > 0 && html`<fieldset><legend>Labels</legend>${boxes}</fieldset>`}
<p class="actions"><button class="primary">Create issue</button></p>`,
  );
  const body = may(context, 'read')
    ? html`<h1>New issue</h1><div class="box new-issue">${form}</div>`
    : html`<h1>New issue</h1><p>Choose who you are first.</p>`;
  return { title: `New issue · ${repo.owner}/${repo.name}`, body, repo, tab: 'issues' };
}

import { FLOW_TRAITS, FLOWS } from '@mergexo/core/flows';
import { countOf } from '@mergexo/core/text';
import { WORK_STAGES, type Work } from '@mergexo/state';
import { buildIssueUrl, type IssueQuery, SHOWN_ISSUES, stagesOf } from '../facts/issue-query.js';
import type { IssueList } from '../facts/read-issue-list.js';
import { type Html, html } from '../html.js';
import type { Links } from './links.js';
import { renderAge, renderEmpty, renderTag, toExcerpt } from './parts.js';
import { renderRow, STAGES } from './work-row.js';

type View = { list: IssueList; query: IssueQuery; now: number };

const MAX_WHY = 160;
const TABS = [
  { state: undefined, name: 'All' },
  { state: 'attention', name: 'Needs you' },
  { state: 'running', name: 'In progress' },
  { state: 'queued', name: 'Queue' },
  { state: 'done', name: 'Done' },
] as const;
const SORTS = [
  { sort: 'updated', descending: true, name: 'Recently updated' },
  { sort: 'updated', descending: false, name: 'Least recently updated' },
  { sort: 'created', descending: true, name: 'Newest' },
  { sort: 'created', descending: false, name: 'Oldest' },
  { sort: 'number', descending: true, name: 'Highest number' },
  { sort: 'title', descending: false, name: 'Title' },
] as const;

/** Renders the list of issues with its search, filters, order and pages. Works without scripts. */
export function renderIssueList(view: View, links: Links): Html {
  const { list, query, now } = view;
  return html`<h1>Issues</h1>
${renderTabs(view)}
${renderFilters(view)}
<p class="pages"><span>${describeRange(list)}</span>${isFiltered(query) && html`<a href="/issues">Clear all filters</a>`}</p>
${list.rows.length === 0 ? renderEmpty('No issues match. Change the search or clear the filters.') : html`<ul class="list">${list.rows.map((work) => renderIssueRow(work, links, now))}</ul>`}
${list.pages > 1 && renderPager(view)}`;
}

function renderTabs({ list: { counts }, query }: View): Html {
  return html`<nav class="tabs" aria-label="State">${TABS.map(({ state, name }) => {
    const stages = stagesOf(state) ?? WORK_STAGES;
    const n = stages.reduce((sum, stage) => sum + (counts[stage] ?? 0), 0);
    const isHere = state === query.state;
    return html`<a href="${buildIssueUrl(query, { state })}"${isHere && html` aria-current="page"`}>${name} <span class="count">${n}</span></a>`;
  })}</nav>`;
}

function renderFilters({ list, query }: View): Html {
  const orders = SORTS.map(({ sort, descending, name }) => ({
    value: `${sort}-${descending ? 'desc' : 'asc'}`,
    name,
    isChosen: sort === query.sort && descending === query.descending,
  }));
  return html`<form class="filters" method="get" action="/issues" role="search">
<input id="search" type="search" name="q" value="${query.text}" placeholder="Search titles and numbers" aria-label="Search titles and numbers" maxlength="100">
${renderSelect('repo', 'Repository', [
  { value: '', name: 'All repositories' },
  ...list.repositories.map((repo) => ({ value: repo, name: repo, isChosen: repo === query.repo })),
])}
${renderSelect('flow', 'Type', [
  { value: '', name: 'All types' },
  ...FLOWS.map((flow) => ({ value: flow, name: FLOW_TRAITS[flow].name, isChosen: flow === query.flow })),
])}
${renderSelect('state', 'State', [
  { value: '', name: 'All states' },
  ...TABS.flatMap(({ state, name }) =>
    state === undefined ? [] : [{ value: state, name, isChosen: state === query.state }],
  ),
  ...WORK_STAGES.filter((stage) => stage !== 'running' && stage !== 'queued').map((stage) => ({
    value: stage,
    name: `– ${STAGES[stage].name}`,
    isChosen: stage === query.state,
  })),
])}
<input type="text" name="person" value="${query.person}" placeholder="Commented by" aria-label="Commented by" list="people" maxlength="100" size="12">
<datalist id="people">${list.people.map((login) => html`<option value="${login}"></option>`)}</datalist>
${renderSelect('order', 'Order', orders)}
<button type="submit">Apply</button></form>`;
}

type Option = { value: string; name: string; isChosen?: boolean };

function renderSelect(name: string, label: string, options: readonly Option[]): Html {
  return html`<select name="${name}" aria-label="${label}">${options.map(({ value, name: text, isChosen }) => html`<option value="${value}"${isChosen === true && html` selected`}>${text}</option>`)}</select>`;
}

function renderIssueRow(work: Work, links: Links, now: number): Html {
  const { stage, reason, updatedAt } = work;
  const { name, look } = STAGES[stage];
  const tellsReason = reason !== null && ['blocked', 'question', 'failed'].includes(stage);
  const about = tellsReason && html`<p class="why quiet"><bdi>${toExcerpt(reason, MAX_WHY)}</bdi></p>`;
  return renderRow(
    { work, about: about || undefined, side: html`${renderTag(look, name)}${renderAge(updatedAt, now)}` },
    links,
  );
}

function renderPager({ list: { page, pages }, query }: View): Html {
  const link = (to: number, rel: string, text: string): Html =>
    to < 1 || to > pages
      ? html`<span></span>`
      : html`<a class="button plain" rel="${rel}" href="${buildIssueUrl(query, { page: to })}">${text}</a>`;
  return html`<nav class="pages" aria-label="Pages">${link(page - 1, 'prev', '← Previous')}<span>Page ${page} of ${pages}</span>${link(page + 1, 'next', 'Next →')}</nav>`;
}

function describeRange({ total, page, rows }: IssueList): string {
  if (total <= SHOWN_ISSUES) return countOf(total, 'issue');
  const first = (page - 1) * SHOWN_ISSUES + 1;
  return `${first} to ${first + rows.length - 1} of ${countOf(total, 'issue')}`;
}

function isFiltered({ text, repo, flow, state, person }: IssueQuery): boolean {
  return text !== '' || person !== '' || [repo, flow, state].some((value) => value !== undefined);
}

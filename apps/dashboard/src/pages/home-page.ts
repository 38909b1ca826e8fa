import type { Health } from '@mergexo/core/health';
import { TURN_KIND_NAMES } from '@mergexo/core/turns';
import type { Attention } from '../facts/home/describe-attention.js';
import type { Ended, Home, Queued, Running } from '../facts/home/read-home.js';
import { type Html, html } from '../html.js';
import { renderRemedies } from './blocked-part.js';
import { formatMoney } from './format.js';
import type { Links } from './links.js';
import { renderAge, renderElapsed, renderEmpty, renderTag, toExcerpt } from './parts.js';
import { renderRow } from './work-row.js';

export type HomeView = {
  home: Home;
  health: Pick<Health, 'pollerRuns' | 'countsWorkers' | 'polls'>;
  now: number;
};

const MAX_WHY = 280;

/** Renders the start page: first the work that needs a person, then running, queued and finished work. */
export function renderHome({ home, health, now }: HomeView, links: Links): Html {
  const { attention, running, queued, ended } = home;
  return html`<div class="headline"><h1>Home</h1>${renderFigures(home, health, now)}</div>
${home.figures.repositories === 0 && html`<p class="notice plain">The poller has not polled any repository yet.</p>`}
${renderList({
  id: 'attention',
  title: 'Needs you',
  count: home.attentionCount,
  more: '/issues?state=attention&sort=updated&dir=asc',
  empty: 'Nothing is waiting for you.',
  rows: attention.map((item) => renderAttention(item, links, now)),
})}
${renderList({
  id: 'running',
  title: 'In progress',
  count: home.runningCount,
  more: '/issues?state=running',
  empty: 'No turns are running.',
  rows: running.map((item) => renderRunning(item, links, now)),
})}
${renderList({
  id: 'queue',
  title: 'Queue',
  count: home.queuedCount,
  more: '/issues?state=queued',
  empty: 'No issues are waiting to start.',
  rows: queued.map((item) => renderQueued(item, links, now)),
})}
${renderList({
  id: 'done',
  title: 'Done',
  count: undefined,
  more: '/issues?state=done',
  empty: 'No issues are done yet.',
  rows: ended.map((item) => renderEnded(item, links, now)),
})}`;
}

type List = {
  id: string;
  title: string;
  count: number | undefined;
  more: string;
  empty: string;
  rows: readonly Html[];
};

function renderList({ id, title, count, more, empty, rows }: List): Html {
  const hasMore = count === undefined ? rows.length > 0 : count > rows.length;
  return html`<section id="${id}"><h2>${title}${count !== undefined && count > 0 && html` <span class="count">${count}</span>`}${hasMore && html` <a class="more" href="${more}">Show all</a>`}</h2>
${rows.length === 0 ? renderEmpty(empty) : html`<ul class="list">${rows}</ul>`}</section>`;
}

function renderFigures({ figures }: Home, health: HomeView['health'], now: number): Html {
  const { spend } = figures;
  const tokens = spend.inputTokens + spend.outputTokens;
  const spent = spend.costUsd === 0 && tokens > 0 ? 'unknown' : formatMoney(spend.costUsd);
  return html`<dl class="figures"><div><dt>Poller</dt><dd><a href="/repositories">${renderPoller(health, now)}</a></dd></div>
<div><dt>Workers</dt><dd><a href="/workers">${renderWorkers(figures, health)}</a></dd></div>
<div><dt>Spent today</dt><dd><a href="/costs">${spent}</a></dd></div></dl>
<a class="button plain" href="/steer/pause">Pause all work…</a>`;
}

function renderPoller({ pollerRuns, polls }: HomeView['health'], now: number): Html {
  if (!pollerRuns) return html`not running`;
  const polledAt = Math.max(...polls.map(({ lastCompleteAt }) => lastCompleteAt ?? 0));
  return polledAt > 0 ? html`polled ${renderAge(polledAt, now)}` : html`running`;
}

function renderWorkers(
  { workers, busy, lostWorkers }: Home['figures'],
  { countsWorkers }: HomeView['health'],
): Html {
  if (!countsWorkers) return html`unknown`;
  return html`${busy} of ${workers} busy${lostWorkers > 0 && html`, <span class="trouble">${lostWorkers} down</span>`}`;
}

/** Renders an issue that needs a person, with the button for the next step. */
function renderAttention(item: Attention, links: Links, now: number): Html {
  const { repo, issue, pr, url, label, why, stage, blocked } = item;
  const place = pr === null ? `issue-${issue}` : String(pr);
  const action =
    stage === 'blocked'
      ? html`<a class="button" href="/unblock/${repo}/${pr ?? issue}">${pr === null ? 'Retry…' : 'Unblock…'}</a>`
      : stage === 'question' || pr === null
        ? html`<a class="button plain" href="${links.toIssue(repo, issue)}">Reply on GitHub ↗</a>`
        : html`<a class="button plain" href="${links.toPull({ repo, pr, url })}">Review on GitHub ↗</a>`;
  return renderRow(
    {
      work: item,
      id: `${stage}-${repo.replace('/', '-')}-${place}`,
      about: html`<p class="why">${renderTag(stage === 'blocked' ? 'bad' : 'ask', label)} <bdi>${toExcerpt(why, MAX_WHY)}</bdi></p>${blocked !== undefined && renderRemedies(blocked)}`,
      side: html`${renderAge(item.updatedAt, now)}${action}`,
    },
    links,
  );
}

function renderRunning(item: Running, links: Links, now: number): Html {
  const { turnKey, turnKind, worker, since, heartbeatAt, line, repo, issue } = item;
  const kind = turnKind === null ? 'Turn' : TURN_KIND_NAMES[turnKind];
  const heartbeat = turnKey !== null && heartbeatAt !== null && item.turnState !== 'speaking';
  return renderRow(
    {
      work: item,
      about: html`<p class="why"><a class="line" href="/turns/${turnKey}"><bdi>${toExcerpt(line.text, MAX_WHY)}</bdi></a></p>
<p class="meta">${kind}${worker !== null && html` on <bdi>${worker}</bdi>`}${heartbeat && html` · last heartbeat ${renderAge(heartbeatAt, now)}`}</p>`,
      side: html`${renderElapsed(since, now)}<a class="button plain" href="/steer/cancel/${repo}/${issue}">Cancel…</a>`,
    },
    links,
  );
}

function renderQueued(item: Queued, links: Links, now: number): Html {
  const { whom, why, updatedAt, canRetry, repo, issue } = item;
  return renderRow(
    {
      work: item,
      about: html`<p class="why">Waiting for <bdi>${toExcerpt(why === '' ? whom : `${whom}: ${why}`, MAX_WHY)}</bdi></p>`,
      side: html`${renderAge(updatedAt, now)}${canRetry && html`<a class="button plain" href="/unblock/${repo}/${issue}">Retry now…</a>`}`,
    },
    links,
  );
}

function renderEnded(item: Ended, links: Links, now: number): Html {
  const { reason, stage, costUsd, updatedAt } = item;
  const about =
    stage === 'merged' || reason === null
      ? undefined
      : html`<p class="why"><bdi>${toExcerpt(reason, MAX_WHY)}</bdi></p>`;
  const side = html`${costUsd > 0 && html`<span class="quiet">${formatMoney(costUsd)}</span>`}${renderAge(updatedAt, now)}`;
  return renderRow({ work: item, about, side }, links);
}

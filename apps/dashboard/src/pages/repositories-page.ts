import { countOf } from '@mergexo/core/text';
import type { Repositories, RepositoryRow } from '../facts/read-repositories.js';
import { type Html, html } from '../html.js';
import { formatTime } from './format.js';
import { type Look, renderAge, renderEmpty, renderTag } from './parts.js';

/** Renders each repository's last poll, and the limits that all repositories share. */
export function renderRepositories({ rows, rates, writes }: Repositories, now: number): Html {
  return html`<h1>Repositories</h1>
<section id="repositories">${rows.length === 0 ? renderEmpty('The poller has not polled any repository yet.') : html`<ul class="list">${rows.map((row) => renderRow(row, now))}</ul>`}</section>
<section id="limits"><h2>GitHub limits</h2>
<dl class="cards">${rates.map(
    ({ login, limit, left, resetsAt }) =>
      html`<div><dt>Rate limit of <bdi>${login}</bdi></dt><dd>${left}</dd><dd class="quiet">of ${limit} requests left until ${formatTime(resetsAt).slice(11, 16)} UTC</dd></div>`,
  )}${rates.length === 0 && html`<div><dt>Rate limit</dt><dd>?</dd><dd class="quiet">unknown until GitHub's next response</dd></div>`}
<div><dt>Write budget</dt><dd>${Math.max(0, writes.perHour - writes.lastHour)}</dd><dd class="quiet">of ${writes.perHour} writes left; ${writes.lastHour} in the last hour</dd></div></dl>
<p class="quiet">Repositories polled with the same login share its rate limit. MergeXO limits its own posts to stay below GitHub's limits.</p></section>`;
}

function renderRow(row: RepositoryRow, now: number): Html {
  const { repo, polledAt, nextPollBy, pause, slowdown, attention, running, queued, openPulls } = row;
  const { look, name, why } = describeState(row);
  const search = `/issues?repo=${encodeURIComponent(repo)}`;
  const order = pause === undefined ? 'pause' : 'resume';
  return html`<li class="row"><span class="state ${look}"></span>
<div class="what"><a class="goal" href="${search}">${repo}</a> ${renderTag(look, name)}
<p class="why">Last polled: ${polledAt === null ? 'never' : renderAge(polledAt, now)}${polledAt !== null && html` <span class="quiet">(${formatTime(polledAt)})</span>`}</p>
<p class="why">Next poll: ${describeNextPoll(nextPollBy, now)}</p>
${why !== null && html`<p class="why quiet"><bdi>${why}</bdi></p>`}
${slowdown !== undefined && html`<p class="why quiet">GitHub asked MergeXO to wait until ${formatTime(slowdown.until)}: <bdi>${slowdown.reason}</bdi></p>`}
<p class="meta"><a href="${search}&amp;state=attention">${attention} ${attention === 1 ? 'needs' : 'need'} you</a> · <a href="${search}&amp;state=running">${running} in progress</a> · <a href="${search}&amp;state=queued">${queued} queued</a> · ${countOf(openPulls, 'open pull request')}</p></div>
<div class="side"><a class="button plain" href="/steer/${order}/${repo}">${pause === undefined ? 'Pause…' : 'Resume…'}</a></div></li>`;
}

function describeNextPoll(by: number | null, now: number): string {
  if (by === null) return 'when the poller runs again';
  // A time instead of a duration, so that a live page does not change on every refresh.
  return by <= now ? 'now' : `by ${formatTime(by).slice(11, 19)} UTC`;
}

function describeState({ report, pause, slowdown }: RepositoryRow): {
  look: Look;
  name: string;
  why: string | null;
} {
  if (pause !== undefined) return { look: 'ask', name: 'paused', why: pause.reason };
  if (report === undefined) return { look: 'quiet', name: 'not polled yet', why: null };
  if (slowdown !== undefined || report.code === 'paused')
    return { look: 'ask', name: 'slowed down by GitHub', why: report.detail };
  if (report.code === 'ok') return { look: 'good', name: 'ok', why: null };
  return { look: 'bad', name: report.code.replaceAll('-', ' '), why: report.detail };
}
